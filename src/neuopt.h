// The library in one header: read an instance, solve it, write the solution.
//
//   const neuopt::Instance instance = neuopt::read_instance_file("city.vrp");
//   const neuopt::SolveResult result = neuopt::solve(instance);
//   std::cout << neuopt::write_solution(instance, result.solution, result.cost);
//
// Nothing here prints. Wrong input throws InputError, a failed device or a full disk ResourceError; both are Errors.
#pragma once

#include <string>

#include "core/error.h"
#include "io/solution_file.h"
#include "io/solution_svg.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "problem/instance.h"
#include "problem/verify.h"
#include "search/device.h"
#include "search/evaluate_set.h"
#include "search/model_choice.h"
#include "search/search_log.h"
#include "search/solver.h"

namespace neuopt {

using search::Progress;
using search::SolveCallbacks;
using search::SolveOptions;
using search::SolveResult;

/// Solves an instance with the bundled model nearest to it on the best device. `model` names another one (a file, or a
/// bundled name), `device` another device. Callbacks run on the calling thread.
SolveResult solve(const Instance& instance, const SolveOptions& options = {}, const SolveCallbacks& callbacks = {},
                  const std::string& model = "", const std::string& device = "auto");

}  // namespace neuopt
