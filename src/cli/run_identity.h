// The file beside the lines of a run under mpirun that says what they are of. Whoever writes such lines looks at it
// first: those of an unfinished run are not replaced, and it never stands beside lines of another run.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace neuopt::cli {

/// Where the identity of a run's file is.
std::string identity_path(const std::string& path);

/// What stands there; nothing where there is none, or somebody's own file of that name.
std::optional<nlohmann::json> identity_beside(const std::string& path);

/// Throws InputError when the file holds fewer lines than the run beside it was to write: hours of work are not
/// replaced by mistake.
void refuse_unfinished(const std::string& path);

/// Before the file is replaced by one that no run can continue.
void forget_identity(const std::string& path);

}  // namespace neuopt::cli
