#include "train/gradient_noise.h"

#include <cmath>
#include <functional>
#include <numeric>

namespace neuopt::train {
namespace {

std::vector<int> counts_up_to(int minibatches) {
  std::vector<int> counts;
  for (int count = 1; count < minibatches && minibatches % count == 0; count *= 2) counts.push_back(count);
  counts.push_back(minibatches);
  return counts;
}

/// Of all values but one; of all when `left_out` is none of them.
double mean_without(const std::vector<double>& values, int left_out) {
  double sum = std::accumulate(values.begin(), values.end(), 0.0);
  auto count = static_cast<double>(values.size());
  if (left_out >= 0) sum -= values[static_cast<std::size_t>(left_out)], --count;
  return sum / count;
}

/// The mean product of two rollouts. with_others: for each rollout the sum of its products with all others.
double mean_product(const std::vector<double>& with_others, int left_out) {
  double sum = std::accumulate(with_others.begin(), with_others.end(), 0.0);
  auto count = static_cast<double>(with_others.size());
  if (left_out >= 0) sum -= 2 * with_others[static_cast<std::size_t>(left_out)], --count;
  return sum / (count * (count - 1));
}

/// `estimate` takes the number of the rollout that it is to leave out, or -1.
Measured jack_knife(int rollouts, const std::function<double(int)>& estimate) {
  std::vector<double> without;
  for (int rollout = 0; rollout < rollouts; ++rollout) without.push_back(estimate(rollout));
  const double mean = mean_without(without, -1);
  double variance = 0;
  for (const double value : without) variance += (value - mean) * (value - mean) * (rollouts - 1) / rollouts;
  return {.value = estimate(-1), .error = std::sqrt(variance)};
}

}  // namespace

void GradientNoise::add(const torch::Tensor& gradients) {
  const torch::NoGradGuard no_grad;
  const std::int64_t minibatches = gradients.size(1), parameters = gradients.size(2);
  counts_ = counts_up_to(static_cast<int>(minibatches));
  squares_.resize(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const torch::Tensor means = gradients.view({2, counts_[i], minibatches / counts_[i], parameters}).mean(1);
    squares_[i].push_back(torch::square(means).sum(-1, false, torch::kFloat64).mean().item<double>());
  }
  const torch::Tensor draws = gradients.mean(1);
  shared_.push_back((draws[0] * draws[1]).sum(torch::kFloat64).item<double>());
  means_.push_back(draws.mean(0));
}

NoiseFigures GradientNoise::figures() const {
  TORCH_CHECK(rollouts() >= 3, "noise is measured from three rollouts or more");
  const torch::Tensor means = torch::stack(means_).to(torch::kFloat64), sum = means.sum(0);
  std::vector<double> with_others;
  for (const torch::Tensor& mean : means.unbind()) with_others.push_back(mean.dot(sum - mean).item<double>());
  const auto measure = [&](const std::function<double(int)>& estimate) { return jack_knife(rollouts(), estimate); };
  const auto between = [&](int left_out) { return mean_product(with_others, left_out); };
  const auto within = [&](int left_out) { return mean_without(shared_, left_out); };
  NoiseFigures figures;
  figures.signal = measure(between);
  figures.rollout = measure([&](int left_out) { return within(left_out) - between(left_out); });
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto all = [&](int left_out) { return mean_without(squares_[i], left_out); };
    figures.minibatches.push_back({
        .minibatches = counts_[i],
        .rows = measure([&](int left_out) { return all(left_out) - within(left_out); }),
        .total = measure([&](int left_out) { return all(left_out) - between(left_out); }),
    });
  }
  return figures;
}

}  // namespace neuopt::train
