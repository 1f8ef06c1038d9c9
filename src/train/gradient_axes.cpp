#include "train/gradient_axes.h"

#include <vector>

#include "core/parallel.h"
#include "train/device.h"
#include "train/products.h"

namespace neuopt::train {
namespace {

/// The places of a tensor's elements in the flat buffer as (M, d, d), or nothing where it is not made of such matrices.
torch::Tensor places_in(const policy::TensorSpec& spec, std::int64_t first, std::int64_t dim) {
  if (spec.shape.size() < 2 || spec.count() % (dim * dim) != 0) return {};
  torch::Tensor places = torch::arange(first, first + spec.count()).view(spec.shape);
  if (places.dim() == 3 && places.size(1) == dim) places = join_heads(places);
  if (places.dim() == 2 && places.size(0) == dim)  // several side by side
    return places.view({dim, -1, dim}).permute({1, 0, 2});
  return places.reshape({-1, dim, dim});
}

torch::Tensor places_of_matrices(const Parameters& parameters, std::int64_t dim) {
  std::vector<torch::Tensor> parts{torch::empty({0, dim, dim}, torch::kInt64)};
  std::int64_t first = 0;
  for (const policy::TensorSpec& spec : policy::policy_tensors(parameters.architecture())) {
    const torch::Tensor places = places_in(spec, first, dim);
    if (places.defined()) parts.push_back(places);
    first += spec.count();
  }
  return torch::cat(parts).view(-1).to(parameters.flat().device());
}

torch::Tensor transposed(const torch::Tensor& matrices) { return matrices.transpose(1, 2); }

/// One in a column, by ascending eigenvalues. On the host: the matrices are small and many, so that threads had better
/// take whole ones than share each.
torch::Tensor eigenvectors(const torch::Tensor& moments) {
  const torch::Tensor matrices = moments.to(torch::kCPU, torch::kFloat64);
  torch::Tensor vectors = torch::empty_like(matrices);
  const OneThreadEach threads;
  parallel_for(static_cast<int>(matrices.size(0)), threads.before,
               [&](int matrix, int) { vectors[matrix].copy_(std::get<1>(torch::linalg_eigh(matrices[matrix]))); });
  return vectors.to(moments.options());
}

/// Those of the single weights, for as many matrices.
torch::Tensor straight_axes(const torch::Tensor& like) {
  return torch::eye(like.size(1), like.options()).expand_as(like).contiguous();
}

}  // namespace

GradientAxes::GradientAxes(const Parameters& parameters)
    : dim_(parameters.architecture().dim), places_(places_of_matrices(parameters, dim_)) {
  const std::int64_t count = places_.size(0) / (dim_ * dim_);
  left_moments = torch::zeros({count, dim_, dim_}, parameters.flat().options());
  right_moments = torch::zeros_like(left_moments);
  left_axes = straight_axes(left_moments);
  right_axes = left_axes.clone();
}

torch::Tensor GradientAxes::matrices_of(const torch::Tensor& values) const {
  return values.index_select(0, places_).view({-1, dim_, dim_});
}

torch::Tensor GradientAxes::with_matrices(const torch::Tensor& values, const torch::Tensor& matrices) const {
  return values.index_copy(0, places_, matrices.reshape(-1));
}

torch::Tensor GradientAxes::turned(const torch::Tensor& values) const {
  const FullPrecision full;
  return with_matrices(values, transposed(left_axes).bmm(matrices_of(values)).bmm(right_axes));
}

torch::Tensor GradientAxes::turned_back(const torch::Tensor& values) const {
  const FullPrecision full;
  return with_matrices(values, left_axes.bmm(matrices_of(values)).bmm(transposed(right_axes)));
}

void GradientAxes::observe(const torch::Tensor& gradient, const torch::Tensor& weight) {
  const FullPrecision full;
  const torch::Tensor matrices = matrices_of(gradient);
  left_moments.add_((matrices.bmm(transposed(matrices)) - left_moments) * weight);
  right_moments.add_((transposed(matrices).bmm(matrices) - right_moments) * weight);
}

void GradientAxes::renew(torch::Tensor first_moment, torch::Tensor second_moment, Team& team) {
  const auto found = [&](const torch::Tensor& moments) {
    torch::Tensor vectors = team.leads() ? eigenvectors(moments) : torch::zeros_like(moments);
    team.take_first(vectors);
    return vectors;
  };
  const torch::Tensor left = found(left_moments), right = found(right_moments);
  turn_to(left, right, first_moment, second_moment);
}

void GradientAxes::straighten(torch::Tensor first_moment, torch::Tensor second_moment) {
  const torch::Tensor straight = straight_axes(left_axes);
  turn_to(straight, straight, first_moment, second_moment);
}

void GradientAxes::turn_to(const torch::Tensor& left, const torch::Tensor& right, torch::Tensor& first_moment,
                           torch::Tensor& second_moment) {
  const torch::NoGradGuard no_grad;
  const FullPrecision full;
  const torch::Tensor left_turn = transposed(left).bmm(left_axes), right_turn = transposed(right_axes).bmm(right);
  const auto turn = [&](torch::Tensor& moment, const torch::Tensor& by_left, const torch::Tensor& by_right) {
    moment.copy_(with_matrices(moment, by_left.bmm(matrices_of(moment)).bmm(by_right)));
  };
  turn(first_moment, left_turn, right_turn);
  turn(second_moment, left_turn.square(), right_turn.square());
  left_axes.copy_(left);
  right_axes.copy_(right);
}

}  // namespace neuopt::train
