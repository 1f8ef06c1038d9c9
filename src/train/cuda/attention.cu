#include <algorithm>

#include "device/cuda_check.h"
#include "train/cuda/attention.h"
#include "train/cuda/attention_backward.cuh"
#include "train/cuda/attention_forward.cuh"

namespace neuopt::train::cuda {
namespace attention {
namespace {

template <bool kMixed>
__global__ void __launch_bounds__(kWarps * 32)
    forward_kernel(AttentionInput input, MixerPointers weights, __half* result, float* log_sums) {
  extern __shared__ __align__(16) unsigned char raw[];
  forward_instances<kMixed>(input, weights, *reinterpret_cast<ForwardShared*>(raw), result, log_sums);
}

template <bool kMixed>
__global__ void __launch_bounds__(kWarps * 32, 1)
    backward_kernel(AttentionInput input, MixerPointers weights, AttentionGradient gradient) {
  extern __shared__ __align__(16) unsigned char raw[];
  backward_block<kMixed>(input, weights, gradient, *reinterpret_cast<BackwardShared*>(raw));
}

template <class Kernel>
void allow_shared_memory(Kernel kernel, std::size_t bytes) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
             "shared memory of the attention");
}

int of_device(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "current device");
  check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "GPU properties");
  return value;
}

int groups_of(int batch, int nodes) { return (batch + slots_of_block(nodes) - 1) / slots_of_block(nodes); }

MixerPointers mixer_of(const AttentionInput& input) { return input.mixer ? *input.mixer : MixerPointers{}; }

}  // namespace
}  // namespace attention

bool attention_supported() {
  const int shared = attention::of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return static_cast<std::size_t>(shared) >= sizeof(attention::BackwardShared);
}

void attention_forward(const AttentionInput& input, __half* result, float* log_sums, void* stream) {
  using namespace attention;
  const auto launch = [&](auto kernel) {
    allow_shared_memory(kernel, sizeof(ForwardShared));
    kernel<<<static_cast<unsigned>(groups_of(input.batch, input.nodes)), kWarps * 32, sizeof(ForwardShared),
             static_cast<cudaStream_t>(stream)>>>(input, mixer_of(input), result, log_sums);
  };
  input.mixer ? launch(forward_kernel<true>) : launch(forward_kernel<false>);
  check_cuda(cudaGetLastError(), "attention");
}

AttentionSums attention_sums(int batch, int nodes) {
  using namespace attention;
  const int blocks = std::min(groups_of(batch, nodes), of_device(cudaDevAttrMultiProcessorCount));
  return {blocks, blocks * slots_of_block(nodes)};
}

void attention_backward(const AttentionInput& input, const AttentionGradient& gradient, void* stream) {
  using namespace attention;
  const auto blocks = static_cast<unsigned>(attention_sums(input.batch, input.nodes).blocks);
  const auto launch = [&](auto kernel) {
    allow_shared_memory(kernel, sizeof(BackwardShared));
    kernel<<<blocks, kWarps * 32, sizeof(BackwardShared), static_cast<cudaStream_t>(stream)>>>(input, mixer_of(input),
                                                                                               gradient);
  };
  input.mixer ? launch(backward_kernel<true>) : launch(backward_kernel<false>);
  check_cuda(cudaGetLastError(), "gradient of attention");
}

}  // namespace neuopt::train::cuda
