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

template <int kChunks>
using Block = Shared<8, true, kChunks>;
template <int kChunks>
using LargeBlock = Shared<12, true, kChunks>;  // more warps to hide each other's latency, where more instances fit them
using FrugalBlock = Shared<8, false, 1>;       // for devices with less shared memory
using LongestBlock = Shared<16, false, 1>;     // for instances of more than 128 nodes

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

/// Launches the first of these blocks that holds an instance and fits the device.
template <class Shared, class... Others>
void launch_first(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream,
                  std::size_t room) {
  if constexpr (sizeof...(Others) > 0) {
    if (slots_of(Shared::kWarps, buffers.nodes) == 0 || shared_bytes<Shared>(buffers.nodes) > room)
      return launch_first<Others...>(model, buffers, multiprocessors, stream, room);
  }
  launch<Shared>(model, buffers, multiprocessors, stream);
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
  const auto slots = [&](int warps) { return slots_of(warps, buffers.nodes); };
  if (slots(LargeBlock<1>::kWarps) > slots(Block<1>::kWarps))
    launch_first<LargeBlock<2>, LargeBlock<1>, Block<2>, FrugalBlock, LongestBlock>(model, buffers, multiprocessors,
                                                                                    stream, room);
  else
    launch_first<Block<2>, Block<1>, FrugalBlock, LongestBlock>(model, buffers, multiprocessors, stream, room);
}

}  // namespace neuopt::backends::cuda
