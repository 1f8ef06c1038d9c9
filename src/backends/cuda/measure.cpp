#include "backends/cuda/measure.h"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <string>

#include "backends/cuda/cuda_session.h"
#include "core/error.h"

namespace neuopt::backends::cuda {
namespace {

/// A point in time on the device.
class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "timing"); }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;

  void record(cudaStream_t stream) { check_cuda(cudaEventRecord(event_, stream), "timing"); }
  /// Seconds since an earlier one; waits for this one.
  double since(const Event& earlier) const {
    float milliseconds = 0;
    check_cuda(cudaEventSynchronize(event_), "timing");
    check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "timing");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The shortest of a few runs, in seconds.
template <class Run>
double shortest(cudaStream_t stream, Run&& run) {
  constexpr int kTries = 5;
  double best = 1e30;
  for (int i = 0; i < kTries; ++i) {
    Event begin, end;
    begin.record(stream);
    run();
    end.record(stream);
    const double seconds = end.since(begin);
    if (i > 0) best = std::min(best, seconds);
  }
  return best;
}

double copy_bandwidth(cudaStream_t stream) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const DeviceArray<char> from(kBytes), to(kBytes);
  check_cuda(cudaMemsetAsync(from.data(), 1, kBytes, stream), "measuring the bandwidth");
  const double seconds = shortest(stream, [&] {
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream),
               "measuring the bandwidth");
  });
  return 2.0 * static_cast<double>(kBytes) / seconds;
}

/// cuBLAS, loaded when it is asked for. Nothing else needs it, and a program that is linked with it takes sixteen times
/// as long to start.
class Cublas {
 public:
  Cublas() : library_(dlopen(kName.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_)
      throw ResourceError("measuring the arithmetic takes cuBLAS, which cannot be loaded: " + last_error());
  }

  template <class Function>
  Function* function(const char* name) const {
    void* found = dlsym(library_.get(), name);
    if (found == nullptr) throw ResourceError("measuring the arithmetic: " + last_error());
    return reinterpret_cast<Function*>(found);
  }

  void check(cublasStatus_t status) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const auto text = function<decltype(cublasGetStatusString)>("cublasGetStatusString");
    throw ResourceError(std::string("measuring the arithmetic: ") + text(status));
  }

 private:
  static std::string last_error() {
    const char* message = dlerror();
    return message == nullptr ? kName : message;
  }
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  static inline const std::string kName = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  std::unique_ptr<void, Close> library_;
};

double half_rate(cudaStream_t stream) {
  constexpr int kSize = 8192;
  constexpr std::size_t kValues = std::size_t{kSize} * kSize;
  const DeviceArray<std::uint16_t> a(kValues), b(kValues), c(kValues);
  // 0x2c2c is a small number in half precision; zeros would flatter the clock.
  for (const auto* matrix : {&a, &b})
    check_cuda(cudaMemsetAsync(matrix->data(), 0x2c, kValues * 2, stream), "measuring the arithmetic");
  const Cublas cublas;
  const auto create = cublas.function<decltype(cublasCreate_v2)>("cublasCreate_v2");
  const auto destroy = cublas.function<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
  const auto set_stream = cublas.function<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  const auto multiply = cublas.function<decltype(cublasGemmEx_64)>("cublasGemmEx_64");
  cublasHandle_t handle = nullptr;
  cublas.check(create(&handle));
  set_stream(handle, stream);
  const float one = 1, zero = 0;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const double seconds = shortest(stream, [&] {
    status =
        multiply(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, a.data(), CUDA_R_16F, kSize, b.data(),
                 CUDA_R_16F, kSize, &zero, c.data(), CUDA_R_16F, kSize, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
  destroy(handle);
  cublas.check(status);
  return 2.0 * kSize * static_cast<double>(kValues) / seconds;
}

Work work_of(const StepWork& work, const std::string& kernel) {
  if (kernel == "encoder") return work.encoder;
  if (kernel == "streams") return work.streams;
  if (kernel == "scores") return work.scores;
  return kernel == "choice" ? work.choice : work.last_choice;
}

}  // namespace

StepProfile profile_steps(policy::Session& session, const policy::Architecture& architecture, int steps) {
  auto* ours = dynamic_cast<CudaSession*>(&session);
  if (ours == nullptr || ours->batches().size() != 1)
    throw InputError("only sessions of the cuda backend on instances of one size can be measured by kernel");
  SizeBatch& batch = *ours->batches().front();
  const cudaStream_t stream = ours->stream();
  StepProfile profile;
  profile.precision = batch.precision();
  profile.copies = std::min(batch.group_size(), batch.searches().copies());
  for (int step = 0; step < steps; ++step) {
    std::vector<Event> events(1);
    std::vector<std::string> names;
    events.back().record(stream);
    batch.step_with_probe([&](const char* kernel) {
      names.emplace_back(kernel);
      events.emplace_back().record(stream);
    });
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto entry = std::find_if(profile.kernels.begin(), profile.kernels.end(),
                                [&](const KernelTime& known) { return known.kernel == names[i]; });
      if (entry == profile.kernels.end()) entry = profile.kernels.insert(entry, KernelTime{names[i], 0, 0, {}});
      entry->seconds += events[i + 1].since(events[i]) / steps;
      if (step == 0) ++entry->launches;
    }
  }
  const StepWork work = step_work(architecture, batch.searches().nodes(), profile.precision == "fp16");
  for (KernelTime& kernel : profile.kernels) kernel.work = work_of(work, kernel.kernel) * profile.copies;
  return profile;
}

Ceilings measure_ceilings() {
  const Stream stream;
  const double bandwidth = copy_bandwidth(stream);
  return {bandwidth, half_rate(stream)};
}

}  // namespace neuopt::backends::cuda
