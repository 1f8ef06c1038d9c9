// The encoder in one kernel.
#include <algorithm>

#include "backends/cuda/device_info.h"
#include "backends/cuda/encoder_block.cuh"
#include "device/cuda_check.h"

namespace neuopt::backends::cuda {
namespace encoder {
namespace {

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    encoder_kernel(DeviceModel model, NetworkBuffers buffers, int slots) {
  extern __shared__ __align__(16) unsigned char raw[];
  encode_block<Shared>(model, buffers, slots, raw);
}

/// How many instances a block works on at a time: few searches are spread over all multiprocessors.
template <class Shared>
int slots_for(const NetworkBuffers& buffers, int multiprocessors) {
  return std::min(slots_of(Shared::kWarps, buffers.nodes), (buffers.copies + multiprocessors - 1) / multiprocessors);
}

template <class Shared>
void launch(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  const std::size_t bytes = shared_bytes<Shared>(buffers.nodes);
  check_cuda(cudaFuncSetAttribute(encoder_kernel<Shared>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "shared memory of the encoder");
  const int slots = slots_for<Shared>(buffers, multiprocessors);
  const int blocks = std::min(multiprocessors, (buffers.copies + slots - 1) / slots);
  encoder_kernel<Shared><<<blocks, Shared::kThreads, bytes, stream>>>(model, buffers, slots);
  check_cuda(cudaGetLastError(), "encoder");
}

/// Launches the first of these blocks that holds an instance and fits the device.
template <class Shared, class... Others>
void launch_first(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  if constexpr (sizeof...(Others) > 0) {
    if (slots_of(Shared::kWarps, buffers.nodes) == 0 ||
        shared_bytes<Shared>(buffers.nodes) > device_info().shared_bytes)
      return launch_first<Others...>(model, buffers, multiprocessors, stream);
  }
  launch<Shared>(model, buffers, multiprocessors, stream);
}

}  // namespace
}  // namespace encoder

std::size_t encoder_shared_bytes(int nodes) {
  using namespace encoder;
  if (slots_of(FrugalBlock::kWarps, nodes) > 0) return shared_bytes<FrugalBlock>(nodes);
  if (slots_of(LongBlock::kWarps, nodes) > 0) return shared_bytes<LongBlock>(nodes);
  return shared_bytes<LongestBlock>(nodes);
}

void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  using namespace encoder;
  if (slots_of(Block<1>::kWarps, buffers.nodes) == 0)
    launch_first<LongBlock, LongestBlock>(model, buffers, multiprocessors, stream);
  else if (slots_for<LargeBlock<1>>(buffers, multiprocessors) > slots_for<Block<1>>(buffers, multiprocessors))
    launch_first<LargeBlock<2>, LargeBlock<1>, Block<2>, Block<1>, FrugalBlock>(model, buffers, multiprocessors,
                                                                                stream);
  else
    launch_first<Block<2>, Block<1>, FrugalBlock>(model, buffers, multiprocessors, stream);
}

}  // namespace neuopt::backends::cuda
