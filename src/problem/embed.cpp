#include "problem/embed.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace neuopt {
namespace {

using Vector = std::vector<double>;

constexpr int kLandmarks = 200;
constexpr int kMaxIterations = 1000;
constexpr double kTolerance = 1e-10;  // relative change of an eigenvalue between two iterations

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

/// Step 1: the matrix of inner products, -1/2 of the squared distances with row and column means taken out.
Vector double_centred(const Vector& distances, std::size_t size) {
  Vector products(size * size), mean(size, 0.0);
  double total = 0;
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      const double distance = distances[row * size + column];
      products[row * size + column] = -0.5 * distance * distance;
      mean[row] += products[row * size + column] / static_cast<double>(size);
    }
    total += mean[row] / static_cast<double>(size);
  }
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      products[row * size + column] += total - mean[row] - mean[column];
  return products;
}

/// (products + shift * identity) * vector.
Vector multiply(const Vector& products, double shift, const Vector& vector) {
  const std::size_t size = vector.size();
  Vector result(size);
  for (std::size_t row = 0; row < size; ++row)
    result[row] =
        shift * vector[row] + std::inner_product(vector.begin(), vector.end(),
                                                 products.begin() + static_cast<std::ptrdiff_t>(row * size), 0.0);
  return result;
}

/// Takes out the part along `other` (a unit vector) and scales to length 1. False when nothing is left.
bool orthonormalize(Vector& vector, const Vector* other) {
  if (other) {
    const double part = dot(vector, *other);
    for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= part * (*other)[i];
  }
  const double length = std::sqrt(dot(vector, vector));
  if (!(length > 1e-300) || !std::isfinite(length)) return false;
  for (double& entry : vector) entry /= length;
  return true;
}

struct Eigenpair {
  double value = 0;
  Vector vector;
};

/// The eigenpair of largest magnitude of the shifted matrix, orthogonal to `other`; its value is unshifted.
Eigenpair leading_eigenpair(const Vector& products, std::size_t size, double shift, const Vector* other) {
  Eigenpair pair;
  pair.vector.resize(size);
  // Any fixed start with parts along all eigenvectors serves; this one has no symmetry.
  for (std::size_t i = 0; i < size; ++i) pair.vector[i] = std::sin(1.0 + 1.7 * static_cast<double>(i));
  if (!orthonormalize(pair.vector, other)) return {0, Vector(size, 0.0)};
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Vector next = multiply(products, shift, pair.vector);
    const double value = dot(next, pair.vector);
    const bool settled = std::abs(value - pair.value) <= kTolerance * std::abs(value);
    pair.value = value;
    if (!orthonormalize(next, other)) return {0, Vector(size, 0.0)};
    pair.vector = std::move(next);
    if (settled) break;
  }
  pair.value -= shift;
  return pair;
}

/// One coordinate for each point, its largest entry positive: an eigenvector's sign is arbitrary.
Vector axis_of(const Eigenpair& pair) {
  const auto largest = std::max_element(pair.vector.begin(), pair.vector.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  const double factor = std::sqrt(std::max(pair.value, 0.0)) * (*largest < 0 ? -1 : 1);
  Vector axis = pair.vector;
  for (double& entry : axis) entry *= factor;
  return axis;
}

/// The embedding of some nodes by all their distances.
std::vector<Point> embed_nodes(const Instance& instance, const std::vector<int>& nodes) {
  const std::size_t count = nodes.size();
  Vector distances(count * count);
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t to = 0; to < count; ++to) distances[from * count + to] = instance.distance(nodes[from], nodes[to]);
  const Vector products = double_centred(distances, count);
  // Step 2: distances that no points in space have give negative eigenvalues. When the largest in magnitude is one of
  // them, a shift by it puts the positive ones, which we want, in front.
  const double extreme = leading_eigenpair(products, count, 0, nullptr).value;
  const double shift = extreme < 0 ? -extreme : 0;
  // Step 3: the two leading eigenvectors are the axes.
  const Eigenpair first = leading_eigenpair(products, count, shift, nullptr);
  const Eigenpair second = leading_eigenpair(products, count, shift, &first.vector);
  const Vector x = axis_of(first), y = axis_of(second);
  std::vector<Point> points(count);
  for (std::size_t i = 0; i < count; ++i) points[i] = {x[i], y[i]};
  return points;
}

/// Places nodes by their squared distances to landmarks: the difference from what these have among themselves, along
/// each axis.
class Triangulation {
 public:
  Triangulation(const Instance& instance, const std::vector<int>& landmarks)
      : instance_(instance),
        landmarks_(landmarks),
        at_(embed_nodes(instance, landmarks)),
        mean_(landmarks.size(), 0.0) {
    for (std::size_t i = 0; i < landmarks.size(); ++i) {
      for (const int other : landmarks) mean_[i] += square(landmarks[i], other) / static_cast<double>(landmarks.size());
      length_.x += at_[i].x * at_[i].x;
      length_.y += at_[i].y * at_[i].y;
    }
  }

  Point place(int node) const {
    Point point;
    for (std::size_t i = 0; i < landmarks_.size(); ++i) {
      const double further = square(node, landmarks_[i]) - mean_[i];
      point.x -= further * at_[i].x / 2;
      point.y -= further * at_[i].y / 2;
    }
    return {length_.x > 0 ? point.x / length_.x : 0, length_.y > 0 ? point.y / length_.y : 0};
  }

 private:
  double square(int from, int to) const {
    const double distance = instance_.distance(from, to);
    return distance * distance;
  }

  const Instance& instance_;
  const std::vector<int>& landmarks_;
  std::vector<Point> at_;  // of the landmarks
  Vector mean_;            // of the squared distances to all landmarks, for each of them
  Point length_;           // squared, of each axis
};

}  // namespace

std::vector<Point> embed_in_plane(const Instance& instance) {
  std::vector<int> nodes;
  const bool all = instance.size <= kEmbedAllUpTo;
  for (long i = 0, count = all ? instance.size : kLandmarks; i < count; ++i)
    nodes.push_back(static_cast<int>(i * instance.size / count));
  if (all) return embed_nodes(instance, nodes);
  const Triangulation triangulation(instance, nodes);
  std::vector<Point> points;
  for (int node = 0; node < instance.size; ++node) points.push_back(triangulation.place(node));
  return points;
}

std::vector<Point> map_points(const Instance& instance) {
  std::vector<Point> points = instance.coordinates;
  if (points.empty() && !instance.matrix.empty()) points = embed_in_plane(instance);
  if (instance.metric == Metric::geo)  // latitude comes first there
    for (Point& point : points) std::swap(point.x, point.y);
  return points;
}

}  // namespace neuopt
