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

std::vector<double> numbers_of(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.to(torch::kCPU).contiguous();
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

/// For each rollout the sum of its products with all others.
std::vector<double> products_with_others(const torch::Tensor& gradients) {
  return numbers_of((gradients * (gradients.sum(0) - gradients)).sum(1));
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
  const std::vector<double> with_others = products_with_others(rollout_means().to(torch::kFloat64));
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

Alignment align(const torch::Tensor& gradients, const torch::Tensor& others) {
  const torch::Tensor a = gradients.to(torch::kFloat64), b = others.to(torch::kFloat64);
  const auto first_count = static_cast<int>(a.size(0)), second_count = static_cast<int>(b.size(0));
  const std::vector<double> squares = products_with_others(a), other_squares = products_with_others(b);
  // The mean product of each rollout with all of the other set: one side or the other lacks a rollout, never both.
  const std::vector<double> products = numbers_of(a.matmul(b.mean(0))),
                            other_products = numbers_of(b.matmul(a.mean(0)));
  const auto product = [&](int without, int other_without) {
    return without >= 0 ? mean_without(products, without) : mean_without(other_products, other_without);
  };
  const auto along = [&](int without, int other_without) {
    return product(without, other_without) / std::sqrt(mean_product(other_squares, other_without));
  };
  const auto cosine = [&](int without, int other_without) {
    return along(without, other_without) / std::sqrt(mean_product(squares, without));
  };
  const auto measure = [&](const std::function<double(int, int)>& estimate) {
    const Measured first = jack_knife(first_count, [&](int without) { return estimate(without, -1); });
    const Measured second = jack_knife(second_count, [&](int without) { return estimate(-1, without); });
    return Measured{.value = first.value, .error = std::hypot(first.error, second.error)};
  };
  return {.cosine = measure(cosine), .along = measure(along)};
}

}  // namespace neuopt::train
