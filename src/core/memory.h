// How much memory the machine has left.
#pragma once

#include <optional>
#include <string>

namespace neuopt {

/// Bytes that the system expects to be able to give without swapping, and that the limits of this process's group
/// allow. Nothing where the system does not tell.
std::optional<double> free_memory();

/// "9.4 GB", or "12.0 MB" where it is less than one of them.
std::string memory_text(double bytes);

/// "9.4 GB", or "12.0 MB" where that is less than one of them.
std::string memory_text(double bytes);

}  // namespace neuopt
