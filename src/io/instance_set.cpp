#include "io/instance_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/tsplib.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code unreadable;
  return fs::is_directory(path, unreadable);
}

/// Files that are instances by their endings, in the order of their names.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    const std::string ending = it->path().extension().string();
    const bool instance = std::any_of(kProblemKinds.begin(), kProblemKinds.end(),
                                      [&](ProblemKind kind) { return ending == traits(kind).instance_ending; });
    if (instance && !is_folder(it->path().string())) files.push_back(it->path().string());
  }
  if (failure) throw InputError(folder, 0, "cannot read: " + failure.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> instance_files(std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!is_folder(path)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> inside = files_in(path);
    if (inside.empty()) throw InputError(path, 0, "no .tsp or .vrp files in this folder");
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

InstanceSet read_instances(std::span<const std::string> paths, std::size_t limit, const WarningSink& warn) {
  InstanceSet set;
  std::vector<Instance>& all = set.instances;
  const bool several = paths.size() != 1 || is_folder(paths[0]);
  for (const std::string& file : instance_files(paths)) {
    if (limit > 0 && all.size() >= limit) break;
    std::string bytes = read_file(file);
    const std::size_t before = all.size();
    if (looks_like_test_set(bytes)) {
      std::vector<Instance> read = parse_test_set(std::move(bytes), file);
      all.insert(all.end(), std::move_iterator(read.begin()), std::move_iterator(read.end()));
    } else {
      all.push_back(parse_instance(bytes, file, warn));
      set.is_set = several;
      if (several && all.back().name.empty()) all.back().name = fs::path(file).stem().string();
    }
    for (std::size_t i = before; i < all.size(); ++i)
      if (all[i].kind != all[0].kind)
        throw InputError(file, 0,
                         fmt::format("a {} among instances of the {}, expected one problem", traits(all[i].kind).label,
                                     traits(all[0].kind).label));
  }
  if (all.empty()) throw InputError(paths.empty() ? "no instances" : paths[0] + ": no instances");
  if (limit > 0 && all.size() > limit) all.resize(limit);
  return set;
}

bool looks_like_test_set(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with('\x80')) return true;
  // Pickles of the first protocols begin like text, but all end with a dot.
  return bytes.ends_with('.') && bytes.substr(0, 4096).find("DIMENSION") == bytes.npos;
}

}  // namespace neuopt
