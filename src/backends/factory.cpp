#include "backends/factory.h"

#include <fmt/ranges.h>

#include "backends/cpu/cpu_backend.h"
#include "backends/reference/reference_backend.h"
#include "core/error.h"
#if defined(NEUOPT_WITH_CUDA)
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/device_info.h"
#endif

namespace neuopt::backends {
namespace {

struct Entry {
  const char* name;
  const char* precision;  // of `evaluate`; null: the backend itself says which it has
  std::unique_ptr<policy::Backend> (*make)(int threads, const std::string& precision);
  bool (*usable)(std::string* reason);  // null: everywhere
  bool (*expected)();                   // whether a user would expect it to be; null with `usable`
};

/// To add a backend: an entry here, the best first.
constexpr Entry kBackends[] = {
#if defined(NEUOPT_WITH_CUDA)
    {"cuda", nullptr,
     [](int, const std::string& precision) { return cuda::make_cuda_backend(precision.empty() ? "fp32" : precision); },
     [](std::string* reason) { return cuda::cuda_available(reason); }, cuda::driver_installed},
#endif
    {"cpu", "fp32", [](int threads, const std::string&) { return cpu::make_cpu_backend(threads); }, nullptr, nullptr},
    {"reference", "fp64", [](int threads, const std::string&) { return reference::make_reference_backend(threads); },
     nullptr, nullptr},
};

bool is_usable(const Entry& entry, std::string* reason) { return entry.usable == nullptr || entry.usable(reason); }

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kBackends)
    if (is_usable(entry, nullptr)) names.emplace_back(entry.name);
  return names;
}

std::vector<UnusableBackend> unusable_backends() {
  std::vector<UnusableBackend> unusable;
  for (const Entry& entry : kBackends) {
    std::string reason;
    if (!is_usable(entry, &reason)) unusable.push_back({entry.name, reason, entry.expected()});
  }
  return unusable;
}

std::unique_ptr<policy::Backend> make_backend(const std::string& name, int threads, const std::string& precision) {
  for (const Entry& entry : kBackends) {
    if (name != entry.name) continue;
    if (entry.precision != nullptr && !precision.empty() && precision != entry.precision)
      throw InputError(fmt::format("backend {}: compared in {}, not in {}", name, entry.precision, precision));
    return entry.make(threads, precision);
  }
  throw InputError(
      fmt::format("no backend is called '{}'; this build has: {}", name, fmt::join(backend_names(), ", ")));
}

}  // namespace neuopt::backends
