#include "cli/file_guard.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace neuopt::cli {
namespace {

/// The same text for the same regular file, whether it exists or not; empty for devices, pipes and folders.
std::string identity(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? fmt::format("{}:{}", info.st_dev, info.st_ino) : "";
  std::error_code failure;
  const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(follow_links(path), failure), failure);
  return failure ? path : place.string();
}

}  // namespace

void FileGuard::reads(const std::string& path, const std::string& what) {
  struct stat info {};
  if (!path.empty() && stat(path.c_str(), &info) == 0) files_.try_emplace(identity(path), File{path, what});
}

void FileGuard::writes(const std::string& path, const std::string& what) {
  if (path.empty()) return;
  const std::string own = identity(path);
  if (own.empty()) return;
  const auto [known, added] = files_.try_emplace(own, File{path, what});
  if (added) return;
  const File& file = known->second;
  throw InputError(fmt::format("{}: {} would overwrite {}{}", path, what, file.what,
                               file.path == path ? "" : " (" + file.path + ")"));
}

void refuse_foreign_ending(const std::string& path, std::initializer_list<const char*> others,
                           const std::string& expected) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  const auto refuse = [&](const char* foreign) {
    if (ending == foreign)
      throw InputError(fmt::format("--output {}: this writes solutions, expected {}", quote_bytes(path), expected));
  };
  for (const char* foreign : {".svg", ".png", ".tsp", ".vrp", ".npz", ".pkl", ".safetensors"}) refuse(foreign);
  for (const char* foreign : others) refuse(foreign);
}

}  // namespace neuopt::cli
