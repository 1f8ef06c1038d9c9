// Local search in the lanes of a warp. Compiled without contraction: costs are those of the host to the last bit.
#include "device/cuda_check.h"
#include "local/cuda/polish.h"
#include "local/cuda/warp_best.cuh"

namespace neuopt::local::cuda {
namespace {

constexpr int kWarps = 2;                       // of a block; each works alone
constexpr int kBlocks = 16;                     // of a multiprocessor at once: what registers and memory must allow
constexpr std::size_t kSharedBytes = 48 << 10;  // of a block, without asking for more

/// Bytes of an instance that a warp keeps beside its workspace: places and nodes.
template <class Problem>
__host__ __device__ std::size_t instance_bytes(int nodes) {
  return (static_cast<std::size_t>(nodes) * (2 * sizeof(float) + env::kStoredBytes<typename Problem::Node>)+7) / 8 * 8;
}

template <class Problem>
__host__ __device__ std::size_t shared_bytes(int nodes) {
  return polish_bytes<Problem>(nodes) + instance_bytes<Problem>(nodes);
}

template <class Problem>
bool fits_shared(int nodes) {
  return kWarps * shared_bytes<Problem>(nodes) <= kSharedBytes;
}

/// The instance with what the search reads most copied to `place`.
template <class Problem>
__device__ env::InstanceView nearby(env::InstanceView instance, float* place) {
  using Node = typename Problem::Node;
  float *x = place, *y = x + instance.nodes;
  auto* node = reinterpret_cast<Node*>(y + instance.nodes);
#pragma unroll 1
  for (int i = WarpLanes{}.first(); i < instance.nodes; i += WarpLanes{}.stride()) {
    x[i] = instance.x[i];
    y[i] = instance.y[i];
    if constexpr (env::kStoredBytes < Node >> 0) node[i] = env::nodes_of<Problem>(instance)[i];
  }
  instance.x = x;
  instance.y = y;
  instance.node = node;
  __syncwarp();
  return instance;
}

/// Two kernels, so that the compiler knows which memory it works in: that of the block, or `workspace`.
template <class Problem, bool kInShared>
__global__ void __launch_bounds__(kWarps * 32, kBlocks) polish_kernel(PolishBatch batch, std::uint8_t* workspace) {
  extern __shared__ double shared[];
  const int warp = static_cast<int>(threadIdx.x / 32);
  const long row = static_cast<long>(blockIdx.x) * kWarps + warp;
  if (row >= batch.copies) return;
  const std::size_t bytes = polish_bytes<Problem>(batch.nodes);
  if constexpr (kInShared) {
    auto* place = reinterpret_cast<std::uint8_t*>(shared) + warp * shared_bytes<Problem>(batch.nodes);
    const auto instance = nearby<Problem>(batch.instances[row], reinterpret_cast<float*>(place + bytes));
    polish_copy<Problem>(WarpLanes{}, batch, instance, row, place);
  } else {
    polish_copy<Problem>(WarpLanes{}, batch, batch.instances[row], row,
                         workspace + static_cast<std::size_t>(row) * bytes);
  }
}

}  // namespace

std::size_t workspace_bytes(ProblemKind kind, int copies, int nodes) {
  return env::for_problem(kind, [&](auto problem) -> std::size_t {
    using Problem = decltype(problem);
    return fits_shared<Problem>(nodes) ? 0 : static_cast<std::size_t>(copies) * polish_bytes<Problem>(nodes);
  });
}

void launch_polish(ProblemKind kind, const PolishBatch& batch, void* workspace, cudaStream_t stream) {
  const int blocks = (batch.copies + kWarps - 1) / kWarps;
  env::for_problem(kind, [&](auto problem) {
    using Problem = decltype(problem);
    if (fits_shared<Problem>(batch.nodes)) {
      const auto kernel = polish_kernel<Problem, true>;
      check_cuda(
          cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
          "polish");
      kernel<<<blocks, kWarps * 32, kWarps * shared_bytes<Problem>(batch.nodes), stream>>>(batch, nullptr);
    } else {
      polish_kernel<Problem, false><<<blocks, kWarps * 32, 0, stream>>>(batch, static_cast<std::uint8_t*>(workspace));
    }
  });
  check_cuda(cudaGetLastError(), "polish");
}

}  // namespace neuopt::local::cuda
