// Instances as text: TSPLIB95 .tsp and CVRPLIB .vrp files.
#pragma once

#include <string>
#include <string_view>

#include "core/warning.h"
#include "problem/instance.h"

namespace neuopt {

/// Reads an instance of TYPE TSP or CVRP. Every number is checked, every node must be given exactly once. VEHICLES
/// bounds the number of routes. What would change the problem and cannot be honoured (asymmetric distances, route
/// length limits, several depots, fixed edges of a CVRP, time windows) is refused, and so is a keyword that is not
/// known but may constrain a solution by its name; other unknown ones warn once each. Throws InputError with file and
/// line. The memory used is a small multiple of the number of bytes, whatever they are.
Instance parse_instance(std::string_view bytes, const std::string& filename, const WarningSink& warn = {});

/// The same for a file on disk.
Instance read_instance_file(const std::string& path, const WarningSink& warn = {});

/// The instance as a .tsp or .vrp file that reads back identically, but for reference_cost, which these formats cannot
/// state, and for bytes of name and comment that do not fit on a line. Metric::unit is written as EXACT_2D.
std::string write_instance(const Instance& instance);

}  // namespace neuopt
