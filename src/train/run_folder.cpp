#include "train/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "core/file.h"

namespace neuopt::train {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kCheckpointsKept = 3;

}  // namespace

void RunFolder::create() const {
  if (fs::exists(config_file()))
    throw InputError(path_, 0, "holds a run already; continue it with --resume or choose another folder with --run");
  std::error_code error;
  fs::create_directories(path_ + "/checkpoints", error);
  if (error) throw ResourceError(fmt::format("{}: cannot make the folder: {}", path_, error.message()));
}

std::string RunFolder::checkpoint_file(int batches_done) const {
  return fmt::format("{}/checkpoints/batch-{:06}.safetensors", path_, batches_done);
}

std::vector<std::string> RunFolder::checkpoints() const {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ + "/checkpoints", error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("batch-") && name.ends_with(".safetensors")) files.push_back(entry.path().string());
  }
  std::sort(files.rbegin(), files.rend());
  return files;
}

std::string RunFolder::trace_of_checkpoints(int interval) const {
  for (const std::string& file : {model_file(), average_file()})
    if (fs::exists(file)) return file;
  if (!fs::exists(log_file())) return {};
  std::istringstream lines(read_file(log_file()));
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object() && object.contains("batch") && object["batch"].get<int>() > interval) return log_file();
  }
  return {};
}

void RunFolder::remove_other_checkpoints(int batches_done) const {
  const std::string newest = fs::path(checkpoint_file(batches_done)).filename().string();
  std::error_code ignored;
  std::size_t kept = 0;
  for (const std::string& file : checkpoints()) {
    const bool keep = fs::path(file).filename().string() <= newest && kept < kCheckpointsKept;
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
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("batch")) continue;
    if (object["batch"].get<int>() <= batches_done) kept += line + "\n";
  }
  write_file(log_file(), kept);
}

}  // namespace neuopt::train
