#include "cli/mpi/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/mpi/identity.h"
#include "cli/run_identity.h"
#include "core/file.h"
#include "io/json_lines.h"

namespace neuopt::cli::mpi {
namespace {

namespace fs = std::filesystem;

/// Up to the end of the last complete line.
std::string_view complete_lines(std::string_view bytes) {
  const std::size_t end = bytes.rfind('\n');
  return bytes.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

SolveResult to_result(const nlohmann::json& line, const Instance& instance) {
  SolveResult result;
  result.instance = line.at("instance");
  result.feasible = line.at("feasible");
  if (line.at("cost").is_number()) result.cost = line["cost"];
  if (line.contains("curve")) result.curve = line["curve"].get<std::vector<double>>();
  if (const auto reference = instance.reference_cost; reference && *reference > 0)
    result.gap = result.cost / *reference - 1;
  return result;
}

}  // namespace

RunFile::RunFile(const std::string& path, const nlohmann::ordered_json& identity,
                 const std::vector<Instance>& instances, bool resume)
    : path_(path) {
  const std::string beside = identity_path(path);
  if (fs::exists(path) && !fs::is_regular_file(path))
    throw InputError(path, 0, "no regular file, under mpirun --output is one of JSON lines");
  const bool has_lines = fs::exists(path) && fs::file_size(path) > 0;
  const std::optional<nlohmann::json> known = identity_beside(path);
  if (!known && fs::exists(beside))
    throw InputError(beside, 0, fmt::format("is not of a run, and what {} is of would be written there", path));
  if (known && has_lines) {
    if (!resume) refuse_unfinished(path);
    if (const auto found = difference(identity, *known); resume && found)
      throw InputError(path, 0,
                       fmt::format("cannot be continued, it is of another run: {} was {}, now it is {}", found->field,
                                   found->theirs, found->ours));
  } else if (resume && has_lines) {
    throw InputError(path, 0, fmt::format("cannot be continued without {}, which says what it is of", beside));
  }
  open();
  if (resume) take_lines(instances);
  if (continued_.empty()) {
    if (ftruncate(descriptor_, 0) != 0) throw ResourceError(path + ": cannot write: " + std::strerror(errno));
    write_file(beside, identity.dump(2) + "\n");
  }
}

RunFile::~RunFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void RunFile::open() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw ResourceError(path_ + ": cannot write: " + std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError(path_, 0, "another run is writing this file");
}

void RunFile::take_lines(const std::vector<Instance>& instances) {
  const std::string bytes = read_file(path_);
  const std::string_view lines = complete_lines(bytes);
  for_each_json_line(lines, path_, [&](const nlohmann::json& line, long number) {
    const std::size_t place = continued_.size();
    if (place >= instances.size() || line.value("instance", -1L) != static_cast<long>(place))
      throw InputError(path_, number, fmt::format("cannot be continued: expected instance {}", place));
    continued_.push_back(to_result(line, instances[place]));
  });
  // Else the next line would stand in the one that was cut off.
  if (ftruncate(descriptor_, static_cast<off_t>(lines.size())) != 0)
    throw ResourceError(path_ + ": cannot write: " + std::strerror(errno));
}

void RunFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw ResourceError(path_ + ": cannot write: " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace neuopt::cli::mpi
