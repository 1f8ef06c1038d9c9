// Kernels of the batch environment and of decoding: one warp for each row, running the code of batch_rows.h and
// decode_rows.h.
#include "device/cuda_check.h"
#include "train/cuda/launch.h"
#include "train/decode_rows.h"

namespace neuopt::train::cuda {
namespace {

constexpr int kWarpsPerBlock = 4;

__device__ int row_of_warp() { return static_cast<int>(blockIdx.x * kWarpsPerBlock + threadIdx.x / 32); }

dim3 grid_for(int rows) { return dim3((rows + kWarpsPerBlock - 1) / kWarpsPerBlock); }

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

__global__ void generate_kernel(BatchView batch, Random random, std::uint64_t first_instance) {
  const int row = row_of_warp();
  if (row >= batch.batch) return;
  generate_instance(WarpLanes{}, batch, row, random, first_instance + row);
  write_standard_start(WarpLanes{}, batch, row, random, first_instance + row);
  start_row(WarpLanes{}, batch, row);
}

__global__ void start_kernel(BatchView batch) {
  const int row = row_of_warp();
  if (row < batch.batch) start_row(WarpLanes{}, batch, row);
}

__global__ void restart_kernel(BatchView batch) {
  const int row = row_of_warp();
  if (row < batch.batch) restart_row_from_best(WarpLanes{}, batch, row);
}

__global__ void observe_kernel(BatchView batch, ObservationView into) {
  const int row = row_of_warp();
  if (row < batch.batch) observe_row(WarpLanes{}, batch, row, into);
}

__global__ void step_kernel(BatchView batch, const std::int32_t* choices, const float* mean_improvement,
                            float* rewards) {
  const int row = row_of_warp();
  if (row >= batch.batch) return;
  step_row(WarpLanes{}, batch, row, choices + static_cast<std::int64_t>(row) * batch.max_moves, *mean_improvement,
           rewards + row * 3);
}

__global__ void best_costs_kernel(BatchView batch, float* best) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < batch.batch) best[row] = static_cast<float>(batch.status[row].best_cost);
}

__global__ void plan_kernel(PlanArguments a) {
  const int row = row_of_warp();
  if (row >= a.batch) return;
  const std::int64_t at = static_cast<std::int64_t>(row) * a.max_moves;
  const std::int64_t inputs = static_cast<std::int64_t>(row) * (a.max_moves - 1);
  plan_row(WarpLanes{}, a.choices + at, a.previous_anchor[row], a.max_moves, a.nodes, a.fixed_k,
           PlanRow{a.legal + at * a.nodes, a.active + at, a.move_input + inputs, a.edge_input + inputs});
}

__global__ void sample_kernel(SampleArguments a) {
  extern __shared__ float weights[];  // (warps, N)
  const int row = row_of_warp();
  if (row >= a.batch) return;
  sample_row(WarpLanes{}, sample_row_of(a, row), a.k, a.nodes, a.fixed_k, a.uniform,
             weights + (threadIdx.x / 32) * a.nodes);
}

}  // namespace

void generate(const BatchView& batch, std::uint64_t seed, std::uint64_t first_instance, void* stream) {
  generate_kernel<<<grid_for(batch.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(batch, Random{seed},
                                                                                        first_instance);
  check_cuda(cudaGetLastError(), "generating instances");
}

void start(const BatchView& batch, void* stream) {
  start_kernel<<<grid_for(batch.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(batch);
  check_cuda(cudaGetLastError(), "starting a batch");
}

void restart_from_best(const BatchView& batch, void* stream) {
  restart_kernel<<<grid_for(batch.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(batch);
  check_cuda(cudaGetLastError(), "restarting a batch");
}

void observe(const BatchView& batch, const ObservationView& into, void* stream) {
  observe_kernel<<<grid_for(batch.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(batch, into);
  check_cuda(cudaGetLastError(), "observing a batch");
}

void step(const BatchView& batch, const std::int32_t* choices, const float* mean_improvement, float* rewards,
          void* stream) {
  step_kernel<<<grid_for(batch.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(batch, choices, mean_improvement,
                                                                                    rewards);
  check_cuda(cudaGetLastError(), "stepping a batch");
}

void best_costs(const BatchView& batch, float* best, void* stream) {
  best_costs_kernel<<<(batch.batch + 127) / 128, 128, 0, as_stream(stream)>>>(batch, best);
  check_cuda(cudaGetLastError(), "reading best costs");
}

void plan_decoding(const PlanArguments& arguments, void* stream) {
  plan_kernel<<<grid_for(arguments.batch), 32 * kWarpsPerBlock, 0, as_stream(stream)>>>(arguments);
  check_cuda(cudaGetLastError(), "planning the decoding");
}

void sample_choice(const SampleArguments& arguments, void* stream) {
  const std::size_t shared = sizeof(float) * kWarpsPerBlock * static_cast<std::size_t>(arguments.nodes);
  sample_kernel<<<grid_for(arguments.batch), 32 * kWarpsPerBlock, shared, as_stream(stream)>>>(arguments);
  check_cuda(cudaGetLastError(), "sampling a choice");
}

}  // namespace neuopt::train::cuda
