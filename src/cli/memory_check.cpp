#include "cli/memory_check.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "core/error.h"

namespace neuopt::cli {
namespace {

/// What the kernel expects to be able to give without swapping.
std::optional<double> free_bytes() {
  std::ifstream lines("/proc/meminfo");
  std::string word;
  for (double kibibytes = 0; lines >> word;)
    if (word == "MemAvailable:" && lines >> kibibytes) return 1024 * kibibytes;
  return std::nullopt;
}

}  // namespace

void require_memory(double bytes, const std::string& what) {
  const std::optional<double> free = free_bytes();
  if (free && bytes > *free)
    throw ResourceError(
        fmt::format("{} need about {:.1f} GB of memory, {:.1f} GB are free", what, bytes * 1e-9, *free * 1e-9));
}

}  // namespace neuopt::cli
