#include <type_traits>

#include "device/cuda_check.h"
#include "train/cuda/residual_norm.cuh"
#include "train/cuda/residual_norm.h"

namespace neuopt::train::cuda {
namespace norm {
namespace {

template <int kThreads, int kWords>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(int numbers, const __half* x, const __half* y, __half* result, float* rates) {
  forward<kThreads, kWords>(numbers, x, y, result, rates);
}

template <int kThreads, int kWords>
__global__ void __launch_bounds__(kThreads) backward_kernel(int numbers, const __half* result, const float* rates,
                                                            const __half* result_gradient, __half* gradient) {
  backward<kThreads, kWords>(numbers, result, rates, result_gradient, gradient);
}

template <int kThreadCount, int kWordCount>
struct Block {
  static constexpr int kThreads = kThreadCount, kWords = kWordCount;
  static bool holds(int numbers) { return numbers <= 8 * kThreads * kWords; }
};

/// Calls launch with the smallest block that holds an instance.
template <class Launch>
void with_block(int numbers, Launch&& launch) {
  if (Block<256, 2>::holds(numbers)) return launch(Block<256, 2>{});
  if (Block<256, 5>::holds(numbers)) return launch(Block<256, 5>{});
  if (Block<256, 8>::holds(numbers)) return launch(Block<256, 8>{});
  static_assert(8 * 512 * 8 >= kNormMaxNumbers);
  launch(Block<512, 8>{});
}

}  // namespace
}  // namespace norm

void residual_norm_forward(int batch, int numbers, const __half* x, const __half* y, __half* result, float* rates,
                           void* stream) {
  norm::with_block(numbers, [&](auto block) {
    norm::forward_kernel<block.kThreads, block.kWords>
        <<<static_cast<unsigned>(batch), block.kThreads, 0, static_cast<cudaStream_t>(stream)>>>(numbers, x, y, result,
                                                                                                 rates);
  });
  check_cuda(cudaGetLastError(), "residual connection");
}

void residual_norm_backward(int batch, int numbers, const __half* result, const float* rates,
                            const __half* result_gradient, __half* gradient, void* stream) {
  norm::with_block(numbers, [&](auto block) {
    norm::backward_kernel<block.kThreads, block.kWords>
        <<<static_cast<unsigned>(batch), block.kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
            numbers, result, rates, result_gradient, gradient);
  });
  check_cuda(cudaGetLastError(), "gradient of residual connection");
}

}  // namespace neuopt::train::cuda
