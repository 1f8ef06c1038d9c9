#include "train/replay.h"

#include "train/device.h"

#if defined(NEUOPT_TORCH_CUDA)
#include <ATen/cuda/CUDAGraph.h>
#endif

namespace neuopt::train {

#if defined(NEUOPT_TORCH_CUDA)
struct Replay::Graph {
  at::cuda::CUDAGraph graph;
};
#else
struct Replay::Graph {};
#endif

Replay::Replay(std::function<void()> work, torch::Device device, bool capture)
    : work_(std::move(work)), capture_(capture && cuda_built() && device.is_cuda()) {}
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;

void Replay::run() {
  constexpr int kWarmUps = 3;
  if (!capture_ || calls_ < kWarmUps) {
    ++calls_;
    return work_();
  }
#if defined(NEUOPT_TORCH_CUDA)
  if (!graph_) {
    graph_ = std::make_unique<Graph>();
    graph_->graph.capture_begin();
    work_();
    graph_->graph.capture_end();
  }
  graph_->graph.replay();
#endif
}

}  // namespace neuopt::train
