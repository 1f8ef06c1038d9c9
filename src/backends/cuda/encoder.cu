// The encoder in one kernel.
#include <algorithm>

#include "backends/cuda/encoder_block.cuh"
#include "core/cuda_check.h"

namespace neuopt::backends::cuda {
namespace encoder {
namespace {

__global__ void __launch_bounds__(kThreads, 1) encoder_kernel(DeviceModel model, NetworkBuffers buffers) {
  extern __shared__ __align__(16) unsigned char raw[];
  encode_block(model, buffers, raw);
}

}  // namespace
}  // namespace encoder

std::size_t encoder_shared_bytes(int nodes) { return sizeof(encoder::Shared) + position_bytes(nodes); }

void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  const std::size_t shared = encoder_shared_bytes(buffers.nodes);
  check_cuda(cudaFuncSetAttribute(encoder::encoder_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)),
             "shared memory of the encoder");
  const int slots = kMaxRows / (16 * node_tiles(buffers.nodes));
  const int blocks = std::min(multiprocessors, (buffers.copies + slots - 1) / slots);
  encoder::encoder_kernel<<<blocks, encoder::kThreads, shared, stream>>>(model, buffers);
  check_cuda(cudaGetLastError(), "encoder");
}

}  // namespace neuopt::backends::cuda
