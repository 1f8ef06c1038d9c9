// The library in one header: read instances, solve them, write the solutions.
//
//   const neuopt::Instance instance = neuopt::read_instance_file("city.vrp");
//   neuopt::Solver solver;
//   const neuopt::SolveResult result = solver.solve(instance, {.steps = std::nullopt, .time_limit = 10.0});
//   std::cout << neuopt::write_solution(instance, result.solution, result.cost);
//
// Nothing here prints. Wrong input throws InputError, a failed device or a full disk ResourceError; both are Errors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/warning.h"
#include "io/instance_set.h"
#include "io/solomon.h"
#include "io/solution_file.h"
#include "io/solution_svg.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "problem/instance.h"
#include "problem/rounding.h"
#include "problem/schedule.h"
#include "problem/validate.h"
#include "problem/verify.h"
#include "search/set_summary.h"
#include "search/solve.h"

namespace neuopt {

using search::Progress;
using search::SolveCallbacks;
using search::SolveOptions;
using search::SolveResult;
using search::StartKind;
using search::StopReason;

struct SolverOptions {
  std::string model = {};  // a file, or the name of a bundled model; "": for each instance the nearest bundled one
  std::string model_bytes = {};  // of a model file, where there is none to be read: results call it `model`
  std::string device = "auto";   // auto: the best of this build that works here; cpu, cuda, reference
  WarningSink note = {};         // what is unusual about the device
};

/// What a result says about a model.
struct ModelLabel {
  std::string name;      // the file, or the bundled name; "" when the instance needs none
  std::string checksum;  // of its weights
};

/// A device, opened once, and the models that were needed so far. One call at a time.
class Solver {
 public:
  /// Opens the device. Throws ResourceError when it is not there, InputError when its name means nothing.
  explicit Solver(SolverOptions options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// A verified solution of one instance, feasible unless the bound on its vehicles was out of reach. With the same
  /// seed the answer is the same, bit for bit, whatever the threads and batches, unless the clock or the stop flag
  /// ended the search. Tiny instances are solved exactly. Throws InputError when the options or the instance make no
  /// sense (problem/validate.h), or the model is for another problem.
  SolveResult solve(const Instance& instance, const SolveOptions& options = {}, const SolveCallbacks& callbacks = {});

  /// The same for a set of one problem in any sizes: instance i draws the random numbers of its place, so that parts of
  /// a set that are solved elsewhere, each with its first_place, have the answers of the whole. In the order of the
  /// set. A limit of time is for all of them together, and all are answered; only the stop flag leaves out those that
  /// were not begun.
  std::vector<SolveResult> solve(std::span<const Instance> instances, const SolveOptions& options = {},
                                 const SolveCallbacks& callbacks = {});

  /// The model that searches an instance with these options. Throws InputError when there is none or it is for another
  /// problem.
  ModelLabel model_for(const Instance& instance, const SolveOptions& options = {});
  /// The device's name and what it computes with, e.g. "cpu (avx512)".
  std::string device() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The devices of this build that work here, the best first; it is what "auto" means.
std::vector<std::string> devices();

/// Solves one instance with the bundled model nearest to it on the best device.
inline SolveResult solve(const Instance& instance, const SolveOptions& options = {},
                         const SolveCallbacks& callbacks = {}) {
  return Solver().solve(instance, options, callbacks);
}

}  // namespace neuopt
