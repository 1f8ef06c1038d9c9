#include "local/neighbours.h"

#include <algorithm>
#include <array>
#include <nanoflann.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "env/host_instance.h"

namespace neuopt::local {
namespace {

constexpr std::size_t kAllPairsUpTo = 1000;     // nodes
constexpr std::size_t kSpareCandidates = 8;     // that the tree returns besides, so that equals are ordered by index
constexpr std::size_t kPart = 256;              // nodes that a thread takes at once
constexpr std::size_t kEachQuadrant = 2;        // nodes of a list that lie in each quadrant around its node
constexpr std::size_t kSeenForQuadrants = 128;  // nearest nodes among which the tree looks for them
constexpr int kQuadrantsFrom = 201;             // nodes, as parts of large tours are smaller
constexpr std::size_t kSeenForWindows = 128;    // nearest nodes among which the tree looks for those near in time
constexpr double kWaitShare = 0.2;              // of the waiting that a pair forces, as a length

using Ranked = std::pair<double, int>;  // nearness and node: the order of a list

/// The places of some nodes, as the tree wants to read them: in the plane, or in space where that is where they are.
struct Places {
  std::vector<std::array<float, 3>> at;

  Places(const SearchInstance& instance, std::span<const int> nodes) {
    const Instance* file = instance.file;
    const bool in_space = file != nullptr && (file->metric == Metric::geo || three_dimensional(file->metric));
    at.reserve(nodes.size());
    for (const int i : nodes) {
      const auto node = static_cast<std::size_t>(i);
      if (in_space) {
        const auto [x, y, z] = place_in_space(*file, instance.node_of[node]);
        at.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
      } else {
        at.push_back({instance.x[node], instance.y[node], 0.0f});
      }
    }
  }

  std::size_t kdtree_get_point_count() const { return at.size(); }
  float kdtree_get_pt(std::size_t place, std::size_t axis) const { return at[place][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

/// How far two nodes are from one another: the cost of their edge. With time windows also a share of the waiting and
/// all the time warp that serving one right after the other forces, in the better order.
class Nearness {
 public:
  explicit Nearness(const SearchInstance& instance) : instance_(instance), view_(env::view_of(instance, {}, {})) {}

  const env::InstanceView& view() const { return view_; }

  double operator()(int a, int b) const {
    const double cost = env::edge_cost(view_, a, b);
    if (instance_.times.empty()) return cost;
    const std::int32_t travel = travel_ticks(view_.ticks, cost);
    return cost + std::min(forced(a, b, travel), forced(b, a, travel)) / view_.ticks.per_cost;
  }

 private:
  /// In ticks.
  double forced(int first, int second, std::int32_t travel) const {
    const StopTimes &from = instance_.times[static_cast<std::size_t>(first)],
                    &to = instance_.times[static_cast<std::size_t>(second)];
    const std::int32_t taken = from.service + travel;
    return kWaitShare * std::max(0, to.opens - (from.closes + taken)) + std::max(0, from.opens + taken - to.closes);
  }

  const SearchInstance& instance_;
  env::InstanceView view_;
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Places, double>, Places, 3>;

void keep_nearest(std::vector<Ranked>& ranked, std::size_t count) {
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
  ranked.resize(count);
}

/// The best of each quadrant, and the nearest of all besides, `count` together.
class Quadrants {
 public:
  void clear() { sizes_ = {}; }

  void offer(int quadrant, const Ranked& candidate) {
    const auto q = static_cast<std::size_t>(quadrant);
    auto& best = best_[q];
    if (sizes_[q] < kEachQuadrant)
      best[sizes_[q]++] = candidate;
    else if (candidate < best.back())
      best.back() = candidate;
    std::sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(sizes_[q]));
  }

  /// Makes the list of all candidates one of `count` neighbours, nearest first.
  void choose(std::vector<Ranked>& ranked, std::size_t count) const {
    keep_nearest(ranked, count);
    std::vector<Ranked> chosen;
    for (std::size_t q = 0; q < best_.size(); ++q)
      chosen.insert(chosen.end(), best_[q].begin(), best_[q].begin() + static_cast<std::ptrdiff_t>(sizes_[q]));
    const std::size_t certain = chosen.size();
    for (std::size_t i = 0; i < ranked.size() && chosen.size() < count; ++i)
      if (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(certain), ranked[i]) ==
          chosen.begin() + static_cast<std::ptrdiff_t>(certain))
        chosen.push_back(ranked[i]);
    std::sort(chosen.begin(), chosen.end());
    ranked = std::move(chosen);
  }

 private:
  std::array<std::array<Ranked, kEachQuadrant>, 4> best_;
  std::array<std::size_t, 4> sizes_{};
};

/// Whether only a look at all pairs finds the nearest, or is quick enough.
bool by_all_pairs(const SearchInstance& instance, std::size_t nodes) {
  const bool placeless = instance.file != nullptr && instance.file->metric == Metric::explicit_matrix;
  return !instance.matrix.empty() || placeless || nodes <= kAllPairsUpTo;
}

/// Finds the nearest of one node after the other; each thread has one of its own.
class Nearest {
 public:
  /// Without a tree it looks at all pairs.
  Nearest(const SearchInstance& instance, std::span<const int> subset, std::size_t count, const Places* places,
          const Tree* tree, bool by_quadrants)
      : nearness_(instance), subset_(subset), count_(count), places_(places), tree_(tree), by_quadrants_(by_quadrants) {
    const std::size_t seen = by_quadrants             ? kSeenForQuadrants
                             : instance.times.empty() ? count + 1 + kSpareCandidates
                                                      : kSeenForWindows;
    found_.resize(std::min(subset.size(), seen));
    squares_.resize(found_.size());
  }

  /// The neighbours of subset[i], in order.
  const std::vector<Ranked>& of(std::size_t i) {
    ranked_.clear();
    quadrants_.clear();
    if (tree_ == nullptr) {
      for (const int other : subset_) offer(subset_[i], other);
    } else {
      const std::size_t hits = tree_->knnSearch(places_->at[i].data(), found_.size(), found_.data(), squares_.data());
      for (std::size_t hit = 0; hit < hits; ++hit) offer(subset_[i], subset_[found_[hit]]);
    }
    if (by_quadrants_)
      quadrants_.choose(ranked_, count_);
    else
      keep_nearest(ranked_, count_);
    return ranked_;
  }

 private:
  void offer(int node, int other) {
    if (other == node) return;
    ranked_.emplace_back(nearness_(node, other), other);
    if (!by_quadrants_) return;
    const env::InstanceView& view = nearness_.view();
    const bool right = view.x[other] >= view.x[node], above = view.y[other] >= view.y[node];
    quadrants_.offer((right ? 1 : 0) + (above ? 2 : 0), ranked_.back());
  }

  Nearness nearness_;
  std::span<const int> subset_;
  std::size_t count_;
  const Places* places_;
  const Tree* tree_;
  bool by_quadrants_;
  Quadrants quadrants_;
  std::vector<Ranked> ranked_;
  std::vector<unsigned> found_;
  std::vector<double> squares_;
};

/// Calls list(i, ranked) with the neighbours of subset[i], in order, for every i, on several threads, until it is over.
template <class List>
void for_each_list(const SearchInstance& instance, std::span<const int> subset, std::size_t count, int threads,
                   const Until& until, bool by_quadrants, List&& list) {
  std::optional<Places> places;
  std::optional<Tree> tree;
  if (!by_all_pairs(instance, subset.size())) {
    places.emplace(instance, subset);
    tree.emplace(3, *places, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  }
  const int parts = static_cast<int>((subset.size() + kPart - 1) / kPart);
  parallel_for(parts, threads, [&](int part, int) {
    if (until.over()) return;
    Nearest nearest(instance, subset, count, places ? &*places : nullptr, tree ? &*tree : nullptr, by_quadrants);
    const std::size_t first = static_cast<std::size_t>(part) * kPart;
    for (std::size_t i = first; i < std::min(first + kPart, subset.size()); ++i) list(i, nearest.of(i));
  });
}

}  // namespace

Neighbours find_neighbours(const SearchInstance& instance, int count, int threads, const Until& until) {
  std::vector<int> customers(static_cast<std::size_t>(instance.customers()));
  std::iota(customers.begin(), customers.end(), instance.depots);
  Neighbours neighbours;
  neighbours.depots = instance.depots;
  neighbours.count = std::max(0, std::min(count, instance.customers() - 1));
  const auto each = static_cast<std::size_t>(neighbours.count);
  neighbours.lists.resize(customers.size() * each);
  const bool by_quadrants =
      !traits(instance.kind).depots && instance.size() >= kQuadrantsFrom && each >= 4 * kEachQuadrant;
  for_each_list(instance, customers, each, threads, until, by_quadrants,
                [&](std::size_t i, const std::vector<Ranked>& ranked) {
                  for (std::size_t k = 0; k < each; ++k) neighbours.lists[i * each + k] = ranked[k].second;
                });
  if (until.over()) neighbours = {.depots = instance.depots, .count = 0, .lists = {}};
  return neighbours;
}

std::vector<std::vector<int>> neighbours_among(const SearchInstance& instance, std::span<const int> subset, int count,
                                               const Until& until) {
  std::vector<std::vector<int>> lists(subset.size());
  for_each_list(instance, subset, static_cast<std::size_t>(count), 1, until, false,
                [&](std::size_t i, const std::vector<Ranked>& ranked) {
                  for (const Ranked& entry : ranked) lists[i].push_back(entry.second);
                });
  return lists;
}

}  // namespace neuopt::local
