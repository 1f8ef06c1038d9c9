// How the program speaks: results on standard output, everything else on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/warning.h"

namespace neuopt::cli {

/// Prints the text on standard error. Never fails: when nobody listens there, there is nobody to tell.
void say(const std::string& text);

/// Prints each warning as "neuopt: warning: ..." on standard error.
WarningSink warn_on_stderr();

/// Prints one JSON object on standard output. Bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);

/// The number, or null.
nlohmann::ordered_json optional_number(const std::optional<double>& value);

/// What an option that names a problem may say.
std::vector<std::string> problem_names();

/// A cost as the file counts it: whole numbers without decimals.
std::string cost_text(double cost);

}  // namespace neuopt::cli
