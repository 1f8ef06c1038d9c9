// neuopt verify: is a solution feasible, what does it cost, how far is it from the best known.
#include "problem/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/schedule_json.h"
#include "cli/word_options.h"
#include "core/numbers.h"
#include "io/instance_set.h"
#include "io/solution_file.h"

namespace neuopt::cli {
namespace {

struct VerifyOptions {
  std::string file;
  std::string solution;
  std::optional<double> reference;
  FileOverrides overrides;
  bool json = false;
};

struct Report {
  FileOverrides overrides;
  Instance instance;
  SolutionFile file;
  Diagnosis diagnosis;
  Verdict verdict;
  std::optional<double> reference;    // known cost to compare with
  std::optional<double> gap_percent;  // to the reference
};

Report examine(const VerifyOptions& options) {
  Report report;
  report.overrides = options.overrides;
  report.instance = read_one_instance(options.file, warn_on_stderr(), options.overrides);
  report.file = read_solution_file(options.solution, report.instance, warn_on_stderr());
  report.diagnosis = diagnose(report.instance);
  report.verdict = verify(report.instance, report.file.solution);
  report.reference = options.reference ? options.reference : report.instance.reference_cost;
  if (report.reference && *report.reference > 0)
    report.gap_percent = 100 * (report.verdict.cost / *report.reference - 1);
  return report;
}

/// Stated and computed costs agree when they differ by no more than the digits that a file usually carries, which has
/// all of a whole number.
bool agrees(double stated, double computed) {
  if (is_whole(computed)) return stated == computed;
  return std::abs(stated - computed) <= 1e-6 * std::max(1.0, computed);
}

void print_text(const Report& report) {
  const Instance& instance = report.instance;
  const ProblemTraits problem = traits(instance.kind);
  fmt::print("{}: {} with {} {}", instance.name, problem.label, instance.customers(), problem.places);
  if (problem.demands)
    fmt::print(", capacity {:.12g}, total demand {:.12g}, at least {} vehicles", instance.capacity,
               report.diagnosis.total_demand, report.diagnosis.vehicles_bound);
  if (instance.vehicles > 0) fmt::print(", at most {}", instance.vehicles);
  fmt::print("{}\n", rounding_text(instance, report.overrides));
  for (const auto& finding : report.diagnosis.findings) fmt::print("  instance: {}\n", finding);

  fmt::print("{}, cost {}", report.verdict.feasible ? "feasible" : "NOT FEASIBLE", cost_text(report.verdict.cost));
  if (problem.depots) fmt::print(", {} routes", report.file.solution.routes_in_use());
  fmt::print("\n");
  for (const auto& finding : report.verdict.findings) fmt::print("  {}\n", finding);
  if (report.file.cost)
    fmt::print("  the solution file states {}{}\n", cost_text(*report.file.cost),
               agrees(*report.file.cost, report.verdict.cost) ? "" : ", which is not its cost");
  if (report.gap_percent)
    fmt::print("  gap {:+.4f} % to the known cost {}\n", *report.gap_percent, cost_text(*report.reference));
}

/// Who is late, and the schedule. A return is late without a customer.
void put_times(nlohmann::ordered_json& object, const Report& report) {
  const Instance& instance = report.instance;
  object["late"] = nlohmann::ordered_json::array();
  for (const LateStop& stop : report.verdict.late) {
    nlohmann::ordered_json late{{"route", stop.route + 1}};
    if (!instance.is_depot(stop.node)) late["customer"] = instance.customer_number(stop.node);
    late["by"] = stop.by;
    object["late"].push_back(std::move(late));
  }
  put_schedule(object, instance, report.file.solution);
}

nlohmann::ordered_json to_json(const Report& report) {
  const ProblemTraits problem = traits(report.instance.kind);
  nlohmann::ordered_json object;
  object["name"] = report.instance.name;
  object["problem"] = problem.name;
  object["size"] = report.instance.customers();
  put_rounding(object, {&report.instance, 1});
  object["feasible"] = report.verdict.feasible;
  object["cost"] = report.verdict.cost;
  object["stated_cost"] = optional_number(report.file.cost);
  object["reference_cost"] = optional_number(report.reference);
  object["gap_percent"] = optional_number(report.gap_percent);
  object["findings"] = report.verdict.findings;
  if (problem.depots) object["routes"] = report.file.solution.routes_in_use();
  if (problem.demands) object["loads"] = report.verdict.loads;
  if (problem.windows) put_times(object, report);
  auto& diagnosis = object["instance"];
  diagnosis["solvable"] = report.diagnosis.solvable;
  if (problem.demands) {
    diagnosis["capacity"] = report.instance.capacity;
    diagnosis["total_demand"] = report.diagnosis.total_demand;
    diagnosis["vehicles_bound"] = report.diagnosis.vehicles_bound;
    if (report.instance.vehicles > 0) diagnosis["vehicles"] = report.instance.vehicles;
  }
  diagnosis["duplicate_points"] = report.diagnosis.duplicate_points;
  diagnosis["findings"] = report.diagnosis.findings;
  return object;
}

int verify_files(const VerifyOptions& options) {
  const Report report = examine(options);
  if (options.json)
    print_json(to_json(report));
  else
    print_text(report);
  return report.verdict.feasible ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& program, Job& job) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = program.add_subcommand("verify", "Check a solution: feasibility, cost, gap");
  command->add_option("file", options->file, "Instance: .tsp, .vrp or Solomon's .txt")->required();
  command->add_option("solution", options->solution, "Solution: .tour or .sol")->required();
  command->add_option("--reference", options->reference, "Known cost to compare with")->check(number_above_zero());
  add_rounding_option(*command, options->overrides);
  add_vehicles_option(*command, options->overrides);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(kNumberingHelp);
  command->callback([options, &job] { job = [options] { return verify_files(*options); }; });
}

}  // namespace neuopt::cli
