#include "core/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"

namespace neuopt {
namespace {

/// The number after a word of a file, or the file's first number when there is no word to look for.
std::optional<double> number_in(const std::string& path, const std::string& word = "") {
  std::ifstream file(path);
  double number = 0;
  if (word.empty()) return file >> number ? std::optional(number) : std::nullopt;
  for (std::string next; file >> next;)
    if (next == word && file >> number) return number;
  return std::nullopt;
}

/// What a limit on the group of this process leaves; a container's own group is the root that it sees.
std::optional<double> left_to_group() {
  const std::string folder = "/sys/fs/cgroup/";
  const std::optional<double> most = number_in(folder + "memory.max"), used = number_in(folder + "memory.current");
  if (!most || !used) return std::nullopt;
  return *most - *used + number_in(folder + "memory.stat", "inactive_file").value_or(0);
}

/// What is missing, in words; empty when nothing is.
std::string shortage(double bytes, double limit, const std::string& what) {
  const std::optional<double> room = limit > 0 ? std::optional(limit) : free_memory();
  if (!room || bytes <= *room) return "";
  return fmt::format("{} need about {} of memory, {} are {}", what, memory_text(bytes), memory_text(*room),
                     limit > 0 ? "allowed" : "free");
}

}  // namespace

std::optional<double> free_memory() {
  std::optional<double> free = number_in("/proc/meminfo", "MemAvailable:");
  if (free) *free *= 1024;
  const std::optional<double> group = left_to_group();
  return free && group ? std::min(*free, std::max(0.0, *group)) : free;
}

std::string memory_text(double bytes) {
  if (bytes < 1e5) return fmt::format("{:.0f} bytes", bytes);
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes * 1e-6) : fmt::format("{:.1f} GB", bytes * 1e-9);
}

void require_memory(double bytes, double limit, const std::string& what) {
  if (const std::string words = shortage(bytes, limit, what); !words.empty()) throw ResourceError(words);
}

void require_memory_to_read(double bytes, double limit, const std::string& file, const std::string& what) {
  constexpr double kEveryMachineHas = 64e6;
  if (limit <= 0 && bytes < kEveryMachineHas) return;
  if (const std::string words = shortage(bytes, limit, what); !words.empty()) throw InputError(file, 0, words);
}

}  // namespace neuopt
