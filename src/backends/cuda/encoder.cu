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

using Block = Shared<8, true>;
using LargeBlock = Shared<12, true>;     // more warps to hide each other's latency, where more instances fit them
using FrugalBlock = Shared<8, false>;    // for devices with less shared memory
using LongestBlock = Shared<16, false>;  // for instances of more than 128 nodes

std::size_t room_of_device() {
  int device = 0, room = 0;
  check_cuda(cudaGetDevice(&device), "device");
  check_cuda(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  return static_cast<std::size_t>(room);
}

template <class Shared>
void launch(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  const std::size_t bytes = shared_bytes<Shared>(buffers.nodes);
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

std::size_t encoder_shared_bytes(int nodes) {
  using namespace encoder;
  return slots_of(FrugalBlock::kWarps, nodes) > 0 ? shared_bytes<FrugalBlock>(nodes)
                                                  : shared_bytes<LongestBlock>(nodes);
}

void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  using namespace encoder;
  const std::size_t room = room_of_device();
  const int nodes = buffers.nodes, slots = slots_of(Block::kWarps, nodes);
  if (slots == 0)
    launch<LongestBlock>(model, buffers, multiprocessors, stream);
  else if (slots_of(LargeBlock::kWarps, nodes) > slots && shared_bytes<LargeBlock>(nodes) <= room)
    launch<LargeBlock>(model, buffers, multiprocessors, stream);
  else if (shared_bytes<Block>(nodes) <= room)
    launch<Block>(model, buffers, multiprocessors, stream);
  else
    launch<FrugalBlock>(model, buffers, multiprocessors, stream);
}

}  // namespace neuopt::backends::cuda
