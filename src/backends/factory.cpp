#include "backends/factory.h"

#include <fmt/ranges.h>

#include "backends/cpu/cpu_backend.h"
#include "backends/reference/reference_backend.h"
#include "core/error.h"

namespace neuopt::backends {
namespace {

using Make = std::unique_ptr<policy::Backend> (*)(int threads);

struct Entry {
  const char* name;
  Make make;
};

/// To add a backend: a line here, the best first.
constexpr Entry kBackends[] = {
    {"cpu", cpu::make_cpu_backend},
    {"reference", reference::make_reference_backend},
};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kBackends) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<policy::Backend> make_backend(const std::string& name, int threads) {
  for (const Entry& entry : kBackends)
    if (name == entry.name) return entry.make(threads);
  throw InputError(
      fmt::format("no backend is called '{}'; this build has: {}", name, fmt::join(backend_names(), ", ")));
}

}  // namespace neuopt::backends
