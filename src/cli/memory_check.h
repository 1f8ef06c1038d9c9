// Says no before the memory is gone rather than when it is.
#pragma once

#include <string>

namespace neuopt::cli {

/// Throws ResourceError, with both figures, when work that needs about this many bytes would not fit into the memory
/// that is free. Where the system does not tell how much that is, anything goes.
void require_memory(double bytes, const std::string& what);

}  // namespace neuopt::cli
