// How the program speaks: results on standard output, everything else on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/warning.h"
#include "io/file_overrides.h"
#include "problem/instance.h"

namespace neuopt::cli {

/// Prints the text on standard error. Never fails: when nobody listens there, there is nobody to tell.
void say(const std::string& text);

/// Prints each warning as "neuopt: warning: ..." on standard error; of many processes under mpirun the first one does.
WarningSink warn_on_stderr();

/// Sends what was printed on its way. Throws ResourceError when any of it did not reach standard output.
void flush_output();

/// Prints one JSON object on standard output, lists of plain values on a line each. Bytes that are no UTF-8 are
/// replaced.
void print_json(const nlohmann::ordered_json& object);

/// The number, or null.
nlohmann::ordered_json optional_number(const std::optional<double>& value);

/// The exit code for a solution: 0, or 1 when it is not feasible, and then "WHAT is not feasible" with all that is
/// wrong on standard error.
int say_feasible(const Instance& instance, const Solution& solution, const std::string& what);

/// How solutions number nodes, for help texts.
inline constexpr const char* kNumberingHelp =
    "Solutions with routes number the customers from 1 in the order of the instance's file, without the depot: "
    "customer "
    "k\n"
    "is node k + 1 when the depot is node 1, as in CVRPLIB; with another depot, nodes before it keep their number.\n"
    "Tours of a TSP number the nodes as the instance's file does.";

/// What an option that names a problem may say.
std::vector<std::string> problem_names();

/// ", rounding NAME" where it is worth saying: it was asked for, or it is not the same in all files of the problem.
std::string rounding_text(const Instance& instance, const FileOverrides& overrides);

/// A cost as the file counts it: whole numbers without decimals, tenths with one.
std::string cost_text(double cost);

}  // namespace neuopt::cli
