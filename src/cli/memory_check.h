// Says no before the memory is gone rather than when it is.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace neuopt::cli {

/// Adds --memory-limit, in bytes.
void add_memory_option(CLI::App& command, double& limit);

/// Throws ResourceError, with both figures, when work that needs about this many bytes would not fit into the memory
/// that is free, or into the limit where that is above 0. Where the system does not tell what is free, anything goes.
void require_memory(double bytes, double limit, const std::string& what);

}  // namespace neuopt::cli
