// What choices lead to, for the rows of a batch: one warp for each, running the code of env/prospects.h.
#include "device/cuda_check.h"
#include "train/cuda/launch.h"

namespace neuopt::train::cuda {
namespace {

constexpr int kWarps = 4;  // of a block; each works alone

__device__ int row_of_warp() { return static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32); }

__global__ void __launch_bounds__(kWarps * 32)
    add_kernel(ProspectArguments a, int k, const float* __restrict__ weights, float* __restrict__ scores, bool shared) {
  const int row = row_of_warp();
  if (row >= a.batch) return;
  env::ProspectState state = prospect_state_of(a, row);
  if (shared) env::share_places(state);
  env::add_prospects(WarpLanes{}, state, choices_of(a, row), k, weights,
                     scores + static_cast<std::int64_t>(row) * a.nodes);
}

__global__ void __launch_bounds__(kWarps * 32) write_kernel(ProspectArguments a, float* __restrict__ out, bool shared) {
  const int row = row_of_warp();
  if (row >= a.batch) return;
  env::ProspectState state = prospect_state_of(a, row);
  if (shared) env::share_places(state);
  env::write_prospects(WarpLanes{}, state, choices_of(a, row), a.max_moves, features_of(a, row, out));
}

unsigned blocks_for(int rows) { return static_cast<unsigned>((rows + kWarps - 1) / kWarps); }

}  // namespace

void add_prospects(const ProspectArguments& a, int k, const float* weights, float* scores, void* stream) {
  const std::size_t bytes = env::shared_places_bytes(kWarps, a.nodes);
  add_kernel<<<blocks_for(a.batch), kWarps * 32, bytes, static_cast<cudaStream_t>(stream)>>>(a, k, weights, scores,
                                                                                             bytes > 0);
  check_cuda(cudaGetLastError(), "adding prospects");
}

void write_prospects(const ProspectArguments& a, float* out, void* stream) {
  const std::size_t bytes = env::shared_places_bytes(kWarps, a.nodes);
  write_kernel<<<blocks_for(a.batch), kWarps * 32, bytes, static_cast<cudaStream_t>(stream)>>>(a, out, bytes > 0);
  check_cuda(cudaGetLastError(), "writing prospects");
}

}  // namespace neuopt::train::cuda
