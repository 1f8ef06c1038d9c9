#include "search/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "backends/factory.h"
#include "core/error.h"

namespace neuopt::search {

std::unique_ptr<policy::Backend> open_device(const std::string& device, const WarningSink& note) {
  const std::vector<std::string> built = backends::backend_names();
  const std::string name = device == "auto" ? built.front() : device;
  for (const backends::UnusableBackend& passed : backends::unusable_backends()) {
    if (name == passed.name) return backends::make_backend(name);  // throws the reason
    if (device == "auto" && passed.expected && note)
      note(fmt::format("device {}: {}; {} is used", passed.name, passed.reason, name));
  }
  if (std::find(built.begin(), built.end(), name) != built.end()) return backends::make_backend(name);
  if (name == "cpu" || name == "cuda")
    throw ResourceError(
        fmt::format("device {}: this build has no such backend, only {}", name, fmt::join(built, ", ")));
  throw InputError(fmt::format("no device is called '{}', expected auto, cpu, cuda or reference", name));
}

}  // namespace neuopt::search
