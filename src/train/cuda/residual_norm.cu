#include <type_traits>

#include "device/cuda_check.h"
#include "train/cuda/residual_norm.cuh"
#include "train/cuda/residual_norm.h"

namespace neuopt::train::cuda {
namespace norm {
namespace {

template <int kWords>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(int numbers, const __half* x, const __half* y, __half* result, float* rates) {
  forward<kWords>(numbers, x, y, result, rates);
}

template <int kWords>
__global__ void __launch_bounds__(kThreads) backward_kernel(int numbers, const __half* result, const float* rates,
                                                            const __half* result_gradient, __half* gradient) {
  backward<kWords>(numbers, result, rates, result_gradient, gradient);
}

/// Calls launch(std::integral_constant<int, words for each thread>).
template <class Launch>
void with_words(int numbers, Launch&& launch) {
  const int words = (numbers / 8 + kThreads - 1) / kThreads;
  if (words <= 2) return launch(std::integral_constant<int, 2>{});
  if (words <= 5) return launch(std::integral_constant<int, 5>{});
  launch(std::integral_constant<int, 8>{});
}

}  // namespace
}  // namespace norm

void residual_norm_forward(int batch, int numbers, const __half* x, const __half* y, __half* result, float* rates,
                           void* stream) {
  norm::with_words(numbers, [&](auto words) {
    norm::forward_kernel<words.value>
        <<<static_cast<unsigned>(batch), norm::kThreads, 0, static_cast<cudaStream_t>(stream)>>>(numbers, x, y, result,
                                                                                                 rates);
  });
  check_cuda(cudaGetLastError(), "residual connection");
}

void residual_norm_backward(int batch, int numbers, const __half* result, const float* rates,
                            const __half* result_gradient, __half* gradient, void* stream) {
  norm::with_words(numbers, [&](auto words) {
    norm::backward_kernel<words.value>
        <<<static_cast<unsigned>(batch), norm::kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
            numbers, result, rates, result_gradient, gradient);
  });
  check_cuda(cudaGetLastError(), "gradient of residual connection");
}

}  // namespace neuopt::train::cuda
