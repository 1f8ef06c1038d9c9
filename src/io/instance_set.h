// Instances from wherever the command line or a caller says: files of one instance, sets, folders.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/warning.h"
#include "io/file_overrides.h"
#include "problem/instance.h"

namespace neuopt {

struct InstanceSet {
  std::vector<Instance> instances;
  bool is_set = true;  // false: one file that states one instance
};

/// Reads the instances of every path in turn: a set (npz or a pickled list, io/test_set.h), a file of one instance
/// (io/tsplib.h), or a folder, whose .tsp and .vrp files, and those .txt files that are instances, are read in the
/// order of their names. Content decides what a file is. An instance of a set of files that states no name gets the
/// file's. `limit` reads the first so many only; 0: all of them. Throws InputError naming the file: it cannot be read,
/// its instances are of another problem than those before, it cannot be as `overrides` says, or there are none at all.
InstanceSet read_instances(std::span<const std::string> paths, std::size_t limit = 0, const WarningSink& warn = {},
                           const FileOverrides& overrides = {});

/// Reads a file of one instance, and says of a set that it is one. Throws InputError.
Instance read_one_instance(const std::string& file, const WarningSink& warn = {}, const FileOverrides& overrides = {});

/// The files that read_instances reads: the paths with every folder replaced by the instances in it. Throws like it.
std::vector<std::string> instance_files(std::span<const std::string> paths);

/// True for the bytes of a set: npz (a zip archive) or a pickle.
bool looks_like_test_set(std::string_view bytes);

}  // namespace neuopt
