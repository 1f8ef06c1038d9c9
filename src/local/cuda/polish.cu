// Local search in the lanes of a warp. Compiled without contraction: costs are those of the host to the last bit.
#include "device/cuda_check.h"
#include "local/cuda/polish.h"
#include "local/cuda/warp_best.cuh"

namespace neuopt::local::cuda {
namespace {

constexpr int kWarps = 4;                       // of a block; each works alone
constexpr std::size_t kSharedBytes = 48 << 10;  // of a block, without asking for more

template <class Problem>
bool fits_shared(int nodes) {
  return kWarps * polish_bytes<Problem>(nodes) <= kSharedBytes;
}

/// `workspace` is null when the copies work in shared memory.
template <class Problem>
__global__ void __launch_bounds__(kWarps * 32) polish_kernel(PolishBatch batch, std::uint8_t* workspace) {
  extern __shared__ double shared[];
  const int warp = static_cast<int>(threadIdx.x / 32);
  const long row = static_cast<long>(blockIdx.x) * kWarps + warp;
  if (row >= batch.copies) return;
  const std::size_t bytes = polish_bytes<Problem>(batch.nodes);
  auto* place = workspace == nullptr ? reinterpret_cast<std::uint8_t*>(shared) + warp * bytes
                                     : workspace + static_cast<std::size_t>(row) * bytes;
  polish_copy<Problem>(WarpLanes{}, batch, row, place);
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
    const bool in_shared = fits_shared<Problem>(batch.nodes);
    const std::size_t shared_bytes = in_shared ? kWarps * polish_bytes<Problem>(batch.nodes) : 0;
    polish_kernel<Problem><<<blocks, kWarps * 32, shared_bytes, stream>>>(
        batch, in_shared ? nullptr : static_cast<std::uint8_t*>(workspace));
  });
  check_cuda(cudaGetLastError(), "polish");
}

}  // namespace neuopt::local::cuda
