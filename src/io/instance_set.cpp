#include "io/instance_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/solomon.h"
#include "io/test_set.h"
#include "io/tsplib.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code unreadable;
  return fs::is_directory(path, unreadable);
}

constexpr std::size_t kHead = 4096;  // bytes in which a file says what it is

/// Whether bytes are a set: by their first ones, or because they may be a pickle of the first protocols, which begin
/// like text, but all end with a dot.
enum class Likeness { none, perhaps, sure };

/// Whether a text has a keyword in large or small letters.
bool has_keyword(std::string_view text, std::string_view keyword) {
  return upper_case(text).find(keyword) != std::string::npos;
}

Likeness likeness_to_test_set(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with('\x80')) return Likeness::sure;
  const bool pickle =
      bytes.ends_with('.') && !has_keyword(bytes.substr(0, kHead), "DIMENSION") && !looks_like_solomon(bytes);
  return pickle ? Likeness::perhaps : Likeness::none;
}

[[noreturn]] void refuse_neither(const std::string& file) {
  throw InputError(file, 0, "neither a set (.npz, a pickled list) nor an instance (.tsp, .vrp, Solomon's .txt)");
}

/// What is a set only perhaps and cannot be read as one is nothing that we know.
std::vector<Instance> parse_likely_set(std::string bytes, const std::string& file, Likeness likeness,
                                       const ReadBounds& bounds) {
  try {
    return parse_test_set(std::move(bytes), file, bounds);
  } catch (const InputError&) {
    if (likeness == Likeness::sure) throw;
    refuse_neither(file);
  }
}

/// A file without the one keyword that no instance can do without is no instance with a mistake in it.
Instance parse_likely_instance(std::string_view bytes, const std::string& file, const WarningSink& warn,
                               const FileOverrides& overrides) {
  try {
    return parse_instance(bytes, file, warn, overrides);
  } catch (const InputError&) {
    if (has_keyword(bytes, "DIMENSION") || has_keyword(bytes, "TYPE") || looks_like_solomon(bytes)) throw;
    refuse_neither(file);
  }
}

/// Often nothing stands before: then no instance is held twice.
void append_instances(std::vector<Instance>& all, std::vector<Instance> more) {
  if (all.empty())
    all = std::move(more);
  else
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

/// Endings that say so are believed; of text files, one that is no instance is passed over.
bool is_instance(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  if (is_folder(path.string())) return false;
  if (ending == ".txt") {
    std::string head(kHead, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    return looks_like_solomon(std::string_view(head).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  return std::any_of(kProblemKinds.begin(), kProblemKinds.end(),
                     [&](ProblemKind kind) { return ending == traits(kind).instance_ending; });
}

/// Files that are instances, in the order of their names.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    if (is_instance(it->path())) files.push_back(it->path().string());
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
    if (inside.empty()) throw InputError(path, 0, "no instances (.tsp, .vrp, Solomon's .txt) in this folder");
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

InstanceSet read_instances(std::span<const std::string> paths, std::size_t limit, const WarningSink& warn,
                           const FileOverrides& overrides) {
  InstanceSet set;
  std::vector<Instance>& all = set.instances;
  const bool several = paths.size() != 1 || is_folder(paths[0]);
  for (const std::string& file : instance_files(paths)) {
    if (limit > 0 && all.size() >= limit) break;
    std::string bytes = read_file(file);
    const std::size_t before = all.size();
    if (const Likeness likeness = likeness_to_test_set(bytes); likeness != Likeness::none) {
      const ReadBounds bounds{.instances = limit > 0 ? limit - all.size() : 0};
      std::vector<Instance> read = parse_likely_set(std::move(bytes), file, likeness, bounds);
      for (Instance& instance : read) {
        overrides.check_rounding(instance, file, "a set with plain distances");
        overrides.bound_vehicles(instance, file);
      }
      append_instances(all, std::move(read));
    } else {
      all.push_back(parse_likely_instance(bytes, file, warn, overrides));
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
  return set;
}

Instance read_one_instance(const std::string& file, const WarningSink& warn, const FileOverrides& overrides) {
  const std::string bytes = read_file(file);
  if (looks_like_test_set(bytes))
    throw InputError(file, 0, "a set of instances, expected one (.tsp, .vrp, Solomon's .txt)");
  return parse_likely_instance(bytes, file, warn, overrides);
}

bool looks_like_test_set(std::string_view bytes) { return likeness_to_test_set(bytes) != Likeness::none; }

}  // namespace neuopt
