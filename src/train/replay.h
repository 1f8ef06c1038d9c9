// Work that is repeated with the same shapes: on a GPU it is captured once as a CUDA graph and replayed, which removes
// the cost of thousands of launches; elsewhere it is simply called.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>

namespace neuopt::train {

class Replay {
 public:
  /// `work` reads and writes tensors that stay where they are, and takes nothing from the host that changes.
  Replay(std::function<void()> work, torch::Device device, bool capture = true);
  ~Replay();
  Replay(Replay&&) noexcept;

  /// Does the work once. The first few times it is called as it is, to warm up; then it is captured.
  void run();

 private:
  struct Graph;
  std::function<void()> work_;
  bool capture_;
  int calls_ = 0;
  std::unique_ptr<Graph> graph_;
};

}  // namespace neuopt::train
