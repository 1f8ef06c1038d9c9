#include "cli/memory_check.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/memory.h"

namespace neuopt::cli {

void add_memory_option(CLI::App& command, double& limit) {
  command
      .add_option_function<std::uint64_t>(
          "--memory-limit", [&limit](std::uint64_t bytes) { limit = static_cast<double>(bytes); },
          "Memory that may be taken, as in 500M or 4G [what is free]")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::PositiveNumber);
}

void require_memory(double bytes, double limit, const std::string& what) {
  if (limit > 0 && bytes > limit)
    throw ResourceError(
        fmt::format("{} need about {} of memory, --memory-limit is {}", what, memory_text(bytes), memory_text(limit)));
  const std::optional<double> free = free_memory();
  if (limit <= 0 && free && bytes > *free)
    throw ResourceError(
        fmt::format("{} need about {} of memory, {} are free", what, memory_text(bytes), memory_text(*free)));
}

}  // namespace neuopt::cli
