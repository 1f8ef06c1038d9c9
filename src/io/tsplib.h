// Instances as text: TSPLIB95 .tsp, CVRPLIB .vrp and Solomon's .txt files.
#pragma once

#include <string>
#include <string_view>

#include "core/warning.h"
#include "io/file_overrides.h"
#include "problem/instance.h"

namespace neuopt {

/// Reads an instance of TYPE TSP, CVRP or VRPTW, or a file of Solomon's (io/solomon.h). Every number is checked, every
/// node must be given exactly once. VEHICLES bounds the number of routes. A TIME_WINDOW_SECTION makes a VRPTW of a
/// CVRP; SERVICE_TIME is that of the customers. EUC_2D is rounded to the nearest integer, under TYPE VRPTW cut after
/// one decimal, unless `overrides` says otherwise. What would change the problem and cannot be honoured (asymmetric
/// distances, route length limits, several depots, fixed edges of a CVRP) is refused, and so is a keyword that is not
/// known but may constrain a solution by its name; other unknown ones warn once each. Throws InputError with file and
/// line. The memory used is a small multiple of the number of bytes, whatever they are.
Instance parse_instance(std::string_view bytes, const std::string& filename, const WarningSink& warn = {},
                        const FileOverrides& overrides = {});

/// The same for a file on disk.
Instance read_instance_file(const std::string& path, const WarningSink& warn = {}, const FileOverrides& overrides = {});

/// The instance as a .tsp or .vrp file that reads back identically, but for reference_cost, which these formats cannot
/// state, and for bytes of name and comment that do not fit on a line. Metric::unit is written as EXACT_2D,
/// Metric::dimacs_2d as EUC_2D under TYPE VRPTW and as DIMACS_2D elsewhere, Metric::euc_2d with time windows under TYPE
/// CVRP.
std::string write_instance(const Instance& instance);

}  // namespace neuopt
