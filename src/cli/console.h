// How the program speaks: results on standard output, everything else on standard error.
#pragma once

#include <nlohmann/json.hpp>

#include "core/warning.h"

namespace neuopt::cli {

/// Prints each warning as "neuopt: warning: ..." on standard error.
WarningSink warn_on_stderr();

/// Prints one JSON object on standard output. Bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);

}  // namespace neuopt::cli
