#include "train/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "io/json_lines.h"

namespace neuopt::train {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kCheckpointsKept = 3;

/// As checkpoint_file() names them. Others that lie there, copies for instance, are neither read nor removed.
bool is_checkpoint(std::string_view name) {
  constexpr std::string_view kBefore = "batch-", kAfter = ".safetensors";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return false;
  name.remove_prefix(kBefore.size());
  if (name.size() <= kAfter.size()) return false;
  name.remove_suffix(kAfter.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Of two checkpoints in one folder; numbers of more digits than usual make longer names.
bool newer(const std::string& a, const std::string& b) { return std::pair(a.size(), a) > std::pair(b.size(), b); }

/// The batch that a line of the log is about; nothing when the line is damaged.
std::optional<long> batch_of(const std::string& line) {
  const std::optional<nlohmann::json> object = json_object_in(line);
  return object ? whole_number_at(*object, "batch", 0, std::numeric_limits<int>::max()) : std::nullopt;
}

}  // namespace

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

RunLock RunFolder::lock() const {
  const int descriptor = open((path_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return {};
  RunLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError(path_, 0, "another process works on this run");
  return lock;
}

void RunFolder::create() const {
  if (fs::exists(config_file()))
    throw InputError(path_, 0, "holds a run already; continue it with --resume or choose another folder with --run");
  if (const std::string file = remains(); !file.empty())
    throw InputError(file, 0, "is of a run whose config.toml is gone; choose another folder with --run");
  make();
}

void RunFolder::make() const {
  std::error_code error;
  fs::create_directories(path_ + "/checkpoints", error);
  if (error) throw ResourceError(fmt::format("{}: cannot make the folder: {}", path_, error.message()));
}

std::string RunFolder::remains() const {
  for (const std::string& file : {log_file(), model_file(), average_file(), best_model_file()})
    if (fs::exists(file)) return file;
  const std::vector<std::string> files = checkpoints();
  return files.empty() ? "" : files.front();
}

std::string RunFolder::checkpoint_file(int batches_done) const {
  return fmt::format("{}/checkpoints/batch-{:06}.safetensors", path_, batches_done);
}

std::vector<std::string> RunFolder::checkpoints() const {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ + "/checkpoints", error)) {
    const std::string name = entry.path().filename().string();
    if (is_checkpoint(name)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end(), newer);
  return files;
}

std::string RunFolder::trace_of_checkpoints(int interval) const {
  for (const std::string& file : {model_file(), average_file()})
    if (fs::exists(file)) return file;
  if (!fs::exists(log_file())) return {};
  std::istringstream lines(read_file(log_file()));
  for (std::string line; std::getline(lines, line);)
    if (batch_of(line).value_or(0) > interval) return log_file();
  return {};
}

void RunFolder::remove_other_checkpoints(int batches_done) const {
  const std::string newest = checkpoint_file(batches_done);
  std::error_code ignored;
  std::size_t kept = 0;
  for (const std::string& file : checkpoints()) {
    const bool keep = !newer(file, newest) && kept < kCheckpointsKept;
    if (keep)
      ++kept;
    else
      fs::remove(file, ignored);
  }
}

void RunFolder::append_log(const nlohmann::ordered_json& line) const {
  std::FILE* file = std::fopen(log_file().c_str(), "a");
  if (file == nullptr) throw ResourceError(fmt::format("{}: cannot be written", log_file()));
  const std::string text = line.dump() + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) throw ResourceError(fmt::format("{}: cannot be written", log_file()));
}

void RunFolder::rewind_log(int batches_done) const {
  if (!fs::exists(log_file())) return;
  std::istringstream lines(read_file(log_file()));
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (const auto batch = batch_of(line); batch && *batch <= batches_done) kept += line + "\n";
  write_file(log_file(), kept);
}

}  // namespace neuopt::train
