// A session on the GPU: the searches grouped by size, the whole of their state on the device.
#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/size_batch.h"
#include "policy/backend.h"

namespace neuopt::backends::cuda {

class CudaSession final : public policy::Session {
 public:
  CudaSession(const std::shared_ptr<PreparedModel>& model, std::span<const policy::Copy> copies,
              const policy::SessionOptions& options);

  int advance(int steps, const std::atomic<bool>* stop) override;
  int copies() const override { return static_cast<int>(places_.size()); }
  env::SearchStatus status(int copy) const override { return state(copy).status; }
  double best_cost(int copy) const override;
  std::vector<int> best_tour(int copy) const override;
  std::vector<int> current_tour(int copy) const override;
  policy::Visits visits() const override;
  void restart(std::span<const int> which, std::span<const policy::Copy> onto) override;
  void observe(policy::StepObserver observer) override { observer_ = std::move(observer); }

  std::vector<std::unique_ptr<SizeBatch>>& batches() { return batches_; }
  const Stream& stream() const { return stream_; }

 private:
  /// Where a copy is.
  struct Place {
    int batch, row;
  };

  const env::SearchState& state(int copy) const;
  void advance_observed();

  Stream stream_;  // before what uses it
  std::vector<std::unique_ptr<SizeBatch>> batches_;
  std::vector<Place> places_;
  policy::Architecture architecture_;
  int slice_ = 1;  // steps between two looks at `stop`
  policy::StepObserver observer_;
};

}  // namespace neuopt::backends::cuda
