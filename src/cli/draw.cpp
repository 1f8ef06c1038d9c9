// neuopt draw: a picture of an instance, with a solution or without.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/file_guard.h"
#include "cli/picture_file.h"
#include "cli/word_options.h"
#include "io/instance_set.h"
#include "io/solution_file.h"
#include "io/solution_svg.h"

namespace neuopt::cli {
namespace {

struct DrawOptions {
  std::string file;
  std::string solution;
  std::string output;
  FileOverrides overrides;
};

int draw(const DrawOptions& options) {
  FileGuard guard;
  guard.reads(options.file, "the instance");
  guard.reads(options.solution, "the solution");
  guard.writes(options.output, "--output");
  check_picture_path(options.output);
  const Instance instance = read_one_instance(options.file, warn_on_stderr(), options.overrides);
  if (options.solution.empty()) {
    write_picture(options.output, draw_picture(instance));
    return 0;
  }
  const Solution solution = read_solution_file(options.solution, instance, warn_on_stderr()).solution;
  write_picture(options.output, draw_picture(instance, &solution));
  return say_feasible(instance, solution, options.solution + ": the solution");
}

}  // namespace

void add_draw(CLI::App& program, Job& job) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App* command =
      program.add_subcommand("draw", "Draw an instance and a solution; exit code 1 when it is not feasible");
  command->add_option("file", options->file, "Instance: .tsp, .vrp or Solomon's .txt")->required();
  command->add_option("solution", options->solution, "Solution: .tour or .sol");
  add_rounding_option(*command, options->overrides);
  add_vehicles_option(*command, options->overrides);
  add_output_option(*command, options->output, "Picture to write: .svg, or .png with rsvg-convert installed")
      ->required();
  command->callback([options, &job] { job = [options] { return draw(*options); }; });
}

}  // namespace neuopt::cli
