#include <algorithm>

#include "device/cuda_check.h"
#include "train/cuda/attention.h"
#include "train/cuda/attention_long.cuh"

namespace neuopt::train::cuda {
namespace attention {
namespace {

/// Shared is what the block holds, of several instances or of one long one.
template <bool kMixed, class Shared>
__global__ void __launch_bounds__(kWarps * 32)
    forward_kernel(AttentionInput input, MixerPointers weights, __half* result, float* log_sums) {
  extern __shared__ __align__(16) unsigned char raw[];
  forward_block<kMixed>(input, weights, *reinterpret_cast<Shared*>(raw), result, log_sums);
}

template <bool kMixed, class Shared>
__global__ void __launch_bounds__(kWarps * 32, 1)
    backward_kernel(AttentionInput input, MixerPointers weights, AttentionGradient gradient) {
  extern __shared__ __align__(16) unsigned char raw[];
  backward_block<kMixed>(input, weights, gradient, *reinterpret_cast<Shared*>(raw));
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

bool is_long(int nodes) { return nodes > kRows; }

int instances_of_block(int nodes) { return is_long(nodes) ? 1 : slots_of_block(nodes); }

int groups_of(int batch, int nodes) { return (batch + instances_of_block(nodes) - 1) / instances_of_block(nodes); }

MixerPointers mixer_of(const AttentionInput& input) { return input.mixer ? *input.mixer : MixerPointers{}; }

}  // namespace
}  // namespace attention

bool attention_supported() {
  const int shared = attention::of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return static_cast<std::size_t>(shared) >=
         std::max(sizeof(attention::BackwardShared), sizeof(attention::LongForwardShared));
}

void attention_forward(const AttentionInput& input, __half* result, float* log_sums, void* stream) {
  using namespace attention;
  const auto launch = [&](auto kernel, std::size_t shared) {
    allow_shared_memory(kernel, shared);
    kernel<<<static_cast<unsigned>(groups_of(input.batch, input.nodes)), kWarps * 32, shared,
             static_cast<cudaStream_t>(stream)>>>(input, mixer_of(input), result, log_sums);
  };
  if (is_long(input.nodes))
    launch(input.mixer ? forward_kernel<true, LongForwardShared> : forward_kernel<false, LongForwardShared>,
           sizeof(LongForwardShared));
  else
    launch(input.mixer ? forward_kernel<true, ForwardShared> : forward_kernel<false, ForwardShared>,
           sizeof(ForwardShared));
  check_cuda(cudaGetLastError(), "attention");
}

AttentionSums attention_sums(int batch, int nodes) {
  using namespace attention;
  const int blocks = std::min(groups_of(batch, nodes), of_device(cudaDevAttrMultiProcessorCount));
  return {blocks, blocks * instances_of_block(nodes), is_long(nodes) ? blocks * carried_by_block(nodes) : 0};
}

void attention_backward(const AttentionInput& input, const AttentionGradient& gradient, void* stream) {
  using namespace attention;
  const auto blocks = static_cast<unsigned>(attention_sums(input.batch, input.nodes).blocks);
  const auto launch = [&](auto kernel, std::size_t shared) {
    allow_shared_memory(kernel, shared);
    kernel<<<blocks, kWarps * 32, shared, static_cast<cudaStream_t>(stream)>>>(input, mixer_of(input), gradient);
  };
  if (is_long(input.nodes))
    launch(input.mixer ? backward_kernel<true, LongBackwardShared> : backward_kernel<false, LongBackwardShared>,
           sizeof(LongBackwardShared));
  else
    launch(input.mixer ? backward_kernel<true, BackwardShared> : backward_kernel<false, BackwardShared>,
           sizeof(BackwardShared));
  check_cuda(cudaGetLastError(), "gradient of attention");
}

}  // namespace neuopt::train::cuda
