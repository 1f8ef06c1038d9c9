#include "train/cuda/residual_norm.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neuopt::train::cuda::norm {
namespace {

std::vector<__half> random_halves(int count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<__half> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(__float2half(scale * normal(random)));
  return numbers;
}

struct Moments {
  double mean, rate;
};

Moments moments(const std::vector<__half>& x, const std::vector<__half>& y, int first, int count) {
  double sum = 0, squares = 0;
  for (int i = first; i < first + count; ++i) sum += __half2float(x[i]) + __half2float(y[i]);
  for (int i = first; i < first + count; ++i)
    squares += std::pow(__half2float(x[i]) + __half2float(y[i]) - sum / count, 2);
  return {sum / count, 1 / std::sqrt(squares / (count - 1) + 1e-5)};
}

// The gradient is compared with that of sum(result * weight), found by its formula from the definition of the norm. It
// is written over the gradient of the result.
template <int kThreads, int kWords>
void check_norm(int numbers) {
  constexpr int kBatch = 3;
  const auto x = random_halves(kBatch * numbers, 1.0f, 1), y = random_halves(kBatch * numbers, 2.0f, 2);
  const auto weight = random_halves(kBatch * numbers, 1.0f, 3);
  std::vector<__half> result(x.size()), gradient = weight;
  std::vector<float> rates(kBatch);
  emulation::run(dim3(kBatch), kThreads, 0,
                 [&] { forward<kThreads, kWords>(numbers, x.data(), y.data(), result.data(), rates.data()); });
  emulation::run(dim3(kBatch), kThreads, 0, [&] {
    backward<kThreads, kWords>(numbers, result.data(), rates.data(), gradient.data(), gradient.data());
  });
  for (int b = 0; b < kBatch; ++b) {
    const int first = b * numbers;
    const auto [mean, rate] = moments(x, y, first, numbers);
    double along = 0, sum = 0;
    for (int i = first; i < first + numbers; ++i) {
      const double normal = (__half2float(x[i]) + __half2float(y[i]) - mean) * rate;
      ASSERT_NEAR(__half2float(result[i]), normal, 3e-3);
      along += __half2float(weight[i]) * normal;
      sum += __half2float(weight[i]);
    }
    for (int i = first; i < first + numbers; ++i) {
      const double normal = (__half2float(x[i]) + __half2float(y[i]) - mean) * rate;
      const double wanted = rate * (__half2float(weight[i]) - sum / numbers - normal * along / (numbers - 1));
      ASSERT_NEAR(__half2float(gradient[i]), wanted, 3e-3);
    }
  }
}

TEST(ResidualNorm, AgreesWithItsDefinitionAndGradient) {
  check_norm<256, 2>(20 * 128);  // does not fill the last words
  check_norm<256, 5>(5 * 128);   // nor any but the first
  check_norm<256, 8>(128 * 128);
  for (const int nodes : {129, 200, 241, 256}) check_norm<512, 8>(nodes * 128);
}

}  // namespace
}  // namespace neuopt::train::cuda::norm
