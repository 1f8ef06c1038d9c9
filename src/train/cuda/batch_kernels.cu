// Kernels of the batch environment and of decoding, running the code of batch_rows.h and decode_rows.h: one warp for
// each row, but a block where choices are told what they lead to, and a thread where a number is copied.
#include "device/cuda_check.h"
#include "env/prospect_block.h"
#include "local/cuda/polish.h"
#include "local/cuda/warp_best.cuh"
#include "train/cuda/launch.h"
#include "train/decode_rows.h"

namespace neuopt::train::cuda {
namespace {

constexpr int kWarpsPerBlock = 4;

__device__ int row_of_warp() { return static_cast<int>(blockIdx.x * kWarpsPerBlock + threadIdx.x / 32); }

dim3 grid_for(int rows) { return dim3((rows + kWarpsPerBlock - 1) / kWarpsPerBlock); }

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

template <class Problem>
__global__ void generate_kernel(BatchView batch, Random random, std::uint64_t first_instance) {
  const int row = row_of_warp();
  if (row < batch.searches.copies) generate_row<Problem>(WarpLanes{}, batch, row, random, first_instance + row);
}

template <class Problem>
__global__ void start_kernel(BatchView batch) {
  const int row = row_of_warp();
  if (row < batch.searches.copies) start_row<Problem>(WarpLanes{}, batch, row);
}

template <class Problem>
__global__ void restart_kernel(BatchView batch) {
  const int row = row_of_warp();
  if (row < batch.searches.copies) restart_row_from_best<Problem>(WarpLanes{}, batch, row);
}

template <class Problem>
__global__ void observe_kernel(BatchView batch, ObservationView into) {
  const int row = row_of_warp();
  if (row < batch.searches.copies) observe_row<Problem>(WarpLanes{}, batch, row, into);
}

template <class Problem>
__global__ void step_kernel(BatchView batch, const std::int32_t* choices, const float* mean_improvement,
                            float* rewards) {
  const int row = row_of_warp();
  if (row >= batch.searches.copies) return;
  step_row<Problem>(WarpLanes{}, batch, row, choices + static_cast<std::int64_t>(row) * batch.max_moves,
                    *mean_improvement, rewards + row * 3);
}

__global__ void best_costs_kernel(BatchView batch, float* best) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < batch.searches.copies) best[row] = static_cast<float>(batch.searches.states[row].status.best_cost);
}

__global__ void plan_kernel(PlanArguments a) {
  const int row = row_of_warp();
  if (row >= a.batch) return;
  const std::int64_t at = static_cast<std::int64_t>(row) * a.max_moves;
  const std::int64_t inputs = static_cast<std::int64_t>(row) * (a.max_moves - 1);
  plan_row(WarpLanes{}, a.choices + at, a.previous_anchor[row], a.max_moves, a.nodes, a.fixed_k,
           features_of_row(a.features, row, a.nodes),
           PlanRow{a.legal + at * a.nodes, a.active + at, a.move_input + inputs, a.edge_input + inputs});
}

__global__ void sample_kernel(SampleArguments a) {
  extern __shared__ float weights[];  // (warps, N)
  const int row = row_of_warp();
  if (row >= a.batch) return;
  sample_row(WarpLanes{}, sample_row_of(a, row), a.k, a.nodes, a.fixed_k, a.bound,
             weights + (threadIdx.x / 32) * a.nodes);
}

__global__ void missed_kernel(MissedArguments a) {
  const int row = row_of_warp();
  if (row >= a.rows) return;
  const local::Move best = best_of(WarpLanes{}, missed_by_lane(WarpLanes{}, a, row));
  if (WarpLanes{}.first() == 0) write_missed(a, row, best);
}

/// A block for each row.
__global__ void __launch_bounds__(32 * env::kTellerWarps)
    add_prospects_kernel(ProspectArguments a, int k, const float* weights, float* scores) {
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.x);
  env::ProspectState state = prospect_state_of(a, row);
  const auto tellers = env::tellers_of_block(state, shared);
  env::add_prospects(tellers, state, choices_of(a, row), k, weights, scores + static_cast<std::int64_t>(row) * a.nodes);
}

__global__ void __launch_bounds__(32 * env::kTellerWarps) write_prospects_kernel(ProspectArguments a, float* out) {
  extern __shared__ float shared[];
  const int row = static_cast<int>(blockIdx.x);
  env::ProspectState state = prospect_state_of(a, row);
  const auto tellers = env::tellers_of_block(state, shared);
  env::write_prospects(tellers, state, choices_of(a, row), a.max_moves, features_of(a, row, out));
}

/// Launches a kernel of the batch's problem with a warp for each row.
template <class Launch>
void launch_rows(const BatchView& batch, const char* what, Launch&& launch) {
  env::for_problem(batch.kind,
                   [&](auto problem) { launch(problem, grid_for(batch.searches.copies), dim3(32 * kWarpsPerBlock)); });
  check_cuda(cudaGetLastError(), what);
}

}  // namespace

std::size_t polish_bytes(ProblemKind kind, int copies, int nodes) {
  return local::cuda::workspace_bytes(kind, copies, nodes);
}

void polish(ProblemKind kind, const local::PolishBatch& batch, void* workspace, void* stream) {
  local::cuda::launch_polish(kind, batch, workspace, as_stream(stream));
}

void generate(const BatchView& batch, std::uint64_t seed, std::uint64_t first_instance, void* stream) {
  launch_rows(batch, "generating instances", [&](auto problem, dim3 grid, dim3 block) {
    generate_kernel<decltype(problem)><<<grid, block, 0, as_stream(stream)>>>(batch, Random{seed}, first_instance);
  });
}

void start(const BatchView& batch, void* stream) {
  launch_rows(batch, "starting a batch", [&](auto problem, dim3 grid, dim3 block) {
    start_kernel<decltype(problem)><<<grid, block, 0, as_stream(stream)>>>(batch);
  });
}

void restart_from_best(const BatchView& batch, void* stream) {
  launch_rows(batch, "restarting a batch", [&](auto problem, dim3 grid, dim3 block) {
    restart_kernel<decltype(problem)><<<grid, block, 0, as_stream(stream)>>>(batch);
  });
}

void observe(const BatchView& batch, const ObservationView& into, void* stream) {
  launch_rows(batch, "observing a batch", [&](auto problem, dim3 grid, dim3 block) {
    observe_kernel<decltype(problem)><<<grid, block, 0, as_stream(stream)>>>(batch, into);
  });
}

void step(const BatchView& batch, const std::int32_t* choices, const float* mean_improvement, float* rewards,
          void* stream) {
  launch_rows(batch, "stepping a batch", [&](auto problem, dim3 grid, dim3 block) {
    step_kernel<decltype(problem)><<<grid, block, 0, as_stream(stream)>>>(batch, choices, mean_improvement, rewards);
  });
}

void best_costs(const BatchView& batch, float* best, void* stream) {
  best_costs_kernel<<<(batch.searches.copies + 127) / 128, 128, 0, as_stream(stream)>>>(batch, best);
  check_cuda(cudaGetLastError(), "reading best costs");
}

void plan_decoding(const PlanArguments& arguments, void* stream) {
  plan_kernel<<<grid_for(arguments.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(arguments);
  check_cuda(cudaGetLastError(), "planning the decoding");
}

void missed_exchanges(const MissedArguments& arguments, void* stream) {
  missed_kernel<<<grid_for(arguments.rows), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(arguments);
  check_cuda(cudaGetLastError(), "finding missed exchanges");
}

void add_prospects(const ProspectArguments& a, int k, const float* weights, float* scores, void* stream) {
  add_prospects_kernel<<<a.batch, env::teller_threads(a.nodes), env::teller_bytes(a.nodes, a.demands),
                         as_stream(stream)>>>(a, k, weights, scores);
  check_cuda(cudaGetLastError(), "adding prospects");
}

void write_prospects(const ProspectArguments& a, float* out, void* stream) {
  write_prospects_kernel<<<a.batch, env::teller_threads(a.nodes), env::teller_bytes(a.nodes, a.demands),
                           as_stream(stream)>>>(a, out);
  check_cuda(cudaGetLastError(), "writing prospects");
}

void sample_choice(const SampleArguments& arguments, void* stream) {
  const std::size_t shared = sizeof(float) * kWarpsPerBlock * static_cast<std::size_t>(arguments.nodes);
  sample_kernel<<<grid_for(arguments.batch), 32 * kWarpsPerBlock, shared, as_stream(stream)>>>(arguments);
  check_cuda(cudaGetLastError(), "sampling a choice");
}

}  // namespace neuopt::train::cuda
