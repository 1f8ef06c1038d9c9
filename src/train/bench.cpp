#include "train/bench.h"

#include <algorithm>
#include <chrono>

#include "train/device.h"
#include "train/learner.h"

#if defined(NEUOPT_TORCH_CUDA)
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace neuopt::train {
namespace {

double peak_memory_mib([[maybe_unused]] torch::Device device) {
#if defined(NEUOPT_TORCH_CUDA)
  if (device.is_cuda()) {
    const auto statistics = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
    return static_cast<double>(statistics.reserved_bytes[0].peak) / (1024 * 1024);
  }
#endif
  return 0;
}

}  // namespace

TrainBenchResult bench_training(TrainConfig config, int batches, int steps) {
  const int rollout = config.rollout_steps();
  config.steps = std::max(rollout, std::min(config.steps, steps) / rollout * rollout);
  const torch::Device device = prepare_device(config.device, config.threads);
  Learner learner(config, device);
  const auto never = [] { return false; };
  const auto no_progress = [] { return 0.0; };
  learner.train_batch(0, no_progress, never);
  learner.state().clock.enable(true);
  learner.state().clock.reset();
  const auto start = std::chrono::steady_clock::now();
  for (int batch = 1; batch <= batches; ++batch) learner.train_batch(batch, no_progress, never);
  synchronize(device);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double per_step = 1000.0 / (static_cast<double>(batches) * config.steps);
  TrainBenchResult result;
  result.milliseconds_per_step = seconds * per_step;
  for (const auto& [phase, spent] : learner.state().clock.seconds())
    result.phases.emplace_back(phase, spent * per_step);
  result.peak_memory_mib = peak_memory_mib(device);
  result.device = device.str();
  return result;
}

}  // namespace neuopt::train
