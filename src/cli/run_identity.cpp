#include "cli/run_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "io/json_lines.h"

namespace neuopt::cli {

std::string identity_path(const std::string& path) { return path + ".run"; }

std::optional<nlohmann::json> identity_beside(const std::string& path) {
  const std::string beside = identity_path(path);
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(beside, unreadable)) return {};
  const std::optional<nlohmann::json> known = json_object_in(read_file(beside));
  for (const char* member : {"command", "set", "instances"})
    if (!known || !known->contains(member)) return {};
  return known;
}

void refuse_unfinished(const std::string& path) {
  const std::optional<nlohmann::json> known = identity_beside(path);
  std::error_code unreadable;
  if (!known || !std::filesystem::is_regular_file(path, unreadable)) return;
  const std::string bytes = read_file(path);
  if (bytes.empty()) return;
  const auto lines = std::count(bytes.begin(), bytes.end(), '\n');
  const long wanted = whole_number_at(*known, "instances", 0, std::numeric_limits<int>::max()).value_or(0);
  if (lines < wanted)
    throw InputError(path, 0,
                     fmt::format("holds {} of {} lines of a run under mpirun that did not end; continue it with "
                                 "--resume, or remove the file to begin anew",
                                 lines, wanted));
}

void forget_identity(const std::string& path) {
  std::error_code failure;
  if (identity_beside(path)) std::filesystem::remove(identity_path(path), failure);
}

}  // namespace neuopt::cli
