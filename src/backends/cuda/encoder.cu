// The encoder in one kernel.
#include <algorithm>

#include "backends/cuda/encoder_block.cuh"
#include "core/cuda_check.h"

namespace neuopt::backends::cuda {
namespace encoder {
namespace {

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1) encoder_kernel(DeviceModel model, NetworkBuffers buffers) {
  extern __shared__ __align__(16) unsigned char raw[];
  encode_block<Shared>(model, buffers, raw);
}

using SmallBlock = Shared<8>;
using LargeBlock = Shared<12>;

template <class Shared>
std::size_t bytes_of(int nodes) {
  return sizeof(Shared) + position_bytes(nodes);
}

/// Whether a large block takes more instances at a time, and has room for them.
bool prefers_large_block(int nodes) {
  int device = 0, room = 0;
  check_cuda(cudaGetDevice(&device), "device");
  check_cuda(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  return bytes_of<LargeBlock>(nodes) <= static_cast<std::size_t>(room) &&
         slots_of(LargeBlock::kWarps, nodes) > slots_of(SmallBlock::kWarps, nodes);
}

template <class Shared>
void launch(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  const std::size_t bytes = bytes_of<Shared>(buffers.nodes);
  check_cuda(cudaFuncSetAttribute(encoder_kernel<Shared>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "shared memory of the encoder");
  const int slots = slots_of(Shared::kWarps, buffers.nodes);
  const int blocks = std::min(multiprocessors, (buffers.copies + slots - 1) / slots);
  encoder_kernel<Shared><<<blocks, Shared::kThreads, bytes, stream>>>(model, buffers);
  check_cuda(cudaGetLastError(), "encoder");
}

}  // namespace
}  // namespace encoder

std::size_t encoder_shared_bytes(int nodes) { return encoder::bytes_of<encoder::SmallBlock>(nodes); }

void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  if (encoder::prefers_large_block(buffers.nodes))
    encoder::launch<encoder::LargeBlock>(model, buffers, multiprocessors, stream);
  else
    encoder::launch<encoder::SmallBlock>(model, buffers, multiprocessors, stream);
}

}  // namespace neuopt::backends::cuda
