// How much memory the machine has left, and a no before it is gone rather than when it is.
#pragma once

#include <optional>
#include <string>

namespace neuopt {

/// Bytes that the system expects to be able to give without swapping, and that the limits of this process's group
/// allow. Nothing where the system does not tell.
std::optional<double> free_memory();

/// "9.4 GB", or "12.0 MB" where it is less than one of them.
std::string memory_text(double bytes);

/// Throws ResourceError, with both figures, when work that needs about this many bytes would not fit into the memory
/// that is free, or into the limit where that is above 0. Where the system does not tell what is free, anything goes.
void require_memory(double bytes, double limit, const std::string& what);

/// The same for what a file claims or holds in few bytes, which is the file's fault: throws InputError that names it.
/// Without a limit, so little that every machine has it is not asked for: files have thousands of small arrays.
void require_memory_to_read(double bytes, double limit, const std::string& file, const std::string& what);

}  // namespace neuopt
