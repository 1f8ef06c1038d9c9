#include "backends/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "backends/cuda/cuda_session.h"
#include "backends/cuda/device_info.h"
#include "backends/cuda/evaluation.h"
#include "backends/model_cache.h"
#include "core/error.h"

namespace neuopt::backends::cuda {
namespace {

class CudaBackend final : public policy::Backend {
 public:
  explicit CudaBackend(const std::string& precision) : evaluate_precision_(precision) {
    std::string reason;
    if (!cuda_available(&reason)) throw ResourceError("device cuda: " + reason);
  }

  std::string name() const override {
    const std::lock_guard lock(mutex_);
    std::string text = "cuda (" + device_info().name;
    if (!precision_.empty()) text += ", " + precision_;
    if (!fallback_reason_.empty()) text += ", not fp16: " + fallback_reason_;
    return text + ")";
  }

  std::unique_ptr<policy::Session> open(std::shared_ptr<const policy::Model> model,
                                        std::span<const policy::Copy> copies,
                                        const policy::SessionOptions& options) override {
    const auto prepared = prepared_.get(model, [&] { return std::make_shared<PreparedModel>(model); });
    auto session = std::make_unique<CudaSession>(prepared, copies, options);
    for (const auto& batch : session->batches()) remember(batch->precision(), batch->fallback_reason());
    return session;
  }

  int preferred_copies(int nodes) const override {
    constexpr double kCopiesAt100 = 16'000;  // some hundred milliseconds for a hundred steps, and a full device
    const double relative = nodes / 100.0;
    return static_cast<int>(std::clamp(kCopiesAt100 / (relative * relative), 64.0, 65'536.0));
  }

  /// Below a tenth of the time: docs/local-search.md.
  int usual_polish_interval(ProblemKind problem) const override { return traits(problem).depots ? 25 : 5; }

  std::vector<policy::NetworkOutput> evaluate(const policy::Model& model,
                                              std::span<const policy::NetworkInput> inputs) override {
    std::string precision, reason;
    const std::shared_ptr<const policy::Model> borrowed(std::shared_ptr<void>(), &model);
    auto outputs =
        evaluate_inputs(std::make_shared<PreparedModel>(borrowed), inputs, evaluate_precision_, precision, reason);
    remember(precision, reason);
    return outputs;
  }

 private:
  void remember(const std::string& precision, const std::string& fallback_reason) {
    const std::lock_guard lock(mutex_);
    precision_ = precision;
    fallback_reason_ = fallback_reason;
  }

  std::string evaluate_precision_;
  ModelCache<PreparedModel> prepared_;
  mutable std::mutex mutex_;
  std::string precision_, fallback_reason_;  // of what ran last
};

}  // namespace

std::unique_ptr<policy::Backend> make_cuda_backend(const std::string& precision) {
  return std::make_unique<CudaBackend>(precision);
}

}  // namespace neuopt::backends::cuda
