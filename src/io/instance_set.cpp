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

/// Whether bytes are a set: by their first ones, or because they may be a pickle of the first protocols, which begin
/// like text, but all end with a dot.
enum class Likeness { none, perhaps, sure };

Likeness likeness_to_test_set(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with('\x80')) return Likeness::sure;
  const bool pickle = bytes.ends_with('.') && bytes.substr(0, 4096).find("DIMENSION") == bytes.npos;
  return pickle ? Likeness::perhaps : Likeness::none;
}

[[noreturn]] void refuse_neither(const std::string& file) {
  throw InputError(file, 0, "neither a set (.npz, a pickled list) nor an instance (.tsp, .vrp)");
}

/// What is a set only perhaps and cannot be read as one is nothing that we know.
std::vector<Instance> parse_likely_set(std::string bytes, const std::string& file, Likeness likeness) {
  try {
    return parse_test_set(std::move(bytes), file);
  } catch (const InputError&) {
    if (likeness == Likeness::sure) throw;
    refuse_neither(file);
  }
}

/// A file without the one keyword that no instance can do without is no instance with a mistake in it.
Instance parse_likely_instance(std::string_view bytes, const std::string& file, const WarningSink& warn) {
  try {
    return parse_instance(bytes, file, warn);
  } catch (const InputError&) {
    if (bytes.find("DIMENSION") != bytes.npos || bytes.find("TYPE") != bytes.npos) throw;
    refuse_neither(file);
  }
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
    if (const Likeness likeness = likeness_to_test_set(bytes); likeness != Likeness::none) {
      std::vector<Instance> read = parse_likely_set(std::move(bytes), file, likeness);
      all.insert(all.end(), std::move_iterator(read.begin()), std::move_iterator(read.end()));
    } else {
      all.push_back(parse_likely_instance(bytes, file, warn));
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

bool looks_like_test_set(std::string_view bytes) { return likeness_to_test_set(bytes) != Likeness::none; }

}  // namespace neuopt
