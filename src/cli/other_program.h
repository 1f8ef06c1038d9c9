// The programs beside neuopt, which need libraries that neuopt itself does without: it becomes one of them when a
// command asks for it.
#pragma once

#include <string>

namespace neuopt::cli {

/// Becomes the program of that name in the folder of this one, with the same command line. Returns only by throwing:
/// ResourceError with `missing` when there is no such program.
[[noreturn]] void become(const std::string& name, const std::string& missing);

}  // namespace neuopt::cli
