#include "backends/cuda/network.h"
#include "backends/cuda/packing.cuh"
#include "device/cuda_check.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kThreads = 256;

__device__ int index_of_thread() { return static_cast<int>(blockIdx.x * kThreads + threadIdx.x); }

__global__ void weights_kernel(const PackedNumber* numbers, int count, const float* weights, std::uint8_t* bytes) {
  const int index = index_of_thread();
  if (index < count) pack_number(numbers[index], weights, bytes);
}

__global__ void positions_kernel(int nodes, const float* scores, __half* packed) {
  const int index = index_of_thread();
  if (index < kHeads * nodes * nodes) pack_position_score(index, nodes, scores, packed);
}

int blocks_for(int count) { return (count + kThreads - 1) / kThreads; }

}  // namespace

void pack_on_device(const PackedNumber* numbers, int count, const float* weights, std::uint8_t* bytes,
                    cudaStream_t stream) {
  weights_kernel<<<blocks_for(count), kThreads, 0, stream>>>(numbers, count, weights, bytes);
  check_cuda(cudaGetLastError(), "packing weights");
}

void pack_positions_on_device(int nodes, const float* scores, __half* packed, cudaStream_t stream) {
  positions_kernel<<<blocks_for(kHeads * nodes * nodes), kThreads, 0, stream>>>(nodes, scores, packed);
  check_cuda(cudaGetLastError(), "packing positional scores");
}

}  // namespace neuopt::backends::cuda
