// neuopt start: the solution a search begins with, as a file.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/file_guard.h"
#include "cli/search_options.h"
#include "cli/word_options.h"
#include "core/file.h"
#include "io/instance_set.h"
#include "io/solution_file.h"
#include "search/starts.h"

namespace neuopt::cli {
namespace {

struct StartOptions {
  std::string file;
  std::string method = "auto";
  std::uint64_t seed = 1;
  std::string output;
  FileOverrides overrides;
};

int start(const StartOptions& options) {
  FileGuard guard;
  guard.reads(options.file, "the instance");
  guard.writes(options.output, "--output");
  const Instance instance = read_one_instance(options.file, warn_on_stderr(), options.overrides);
  const Solution solution = search::make_start(instance, *search::parse_start(options.method), options.seed);
  write_file(options.output, write_solution(instance, solution, solution_cost(instance, solution)));
  return say_feasible(instance, solution, "the start");
}

}  // namespace

void add_start(CLI::App& program, Job& job) {
  auto options = std::make_shared<StartOptions>();
  CLI::App* command = program.add_subcommand("start", "Write an initial solution");
  command->add_option("file", options->file, "Instance: .tsp, .vrp or Solomon's .txt")->required();
  add_start_option(*command, "--method", options->method);
  add_seed_option(*command, options->seed, "Seed of the random tour [1]");
  add_rounding_option(*command, options->overrides);
  add_vehicles_option(*command, options->overrides);
  add_output_option(*command, options->output, "File to write: .tour or .sol")->required();
  command->callback([options, &job] { job = [options] { return start(*options); }; });
}

}  // namespace neuopt::cli
