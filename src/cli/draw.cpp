// neuopt draw: a picture of an instance, with a solution or without.
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/file_guard.h"
#include "cli/picture_file.h"
#include "io/solution_file.h"
#include "io/solution_svg.h"
#include "io/tsplib.h"

namespace neuopt::cli {
namespace {

struct DrawOptions {
  std::string file;
  std::string solution;
  std::string output;
};

int draw(const DrawOptions& options) {
  FileGuard guard;
  guard.reads(options.file, "the instance");
  guard.reads(options.solution, "the solution");
  guard.writes(options.output, "--output");
  const Instance instance = read_instance_file(options.file, warn_on_stderr());
  if (options.solution.empty()) {
    write_picture(options.output, draw_picture(instance));
  } else {
    const SolutionFile file = read_solution_file(options.solution, instance, warn_on_stderr());
    write_picture(options.output, draw_picture(instance, &file.solution));
  }
  return 0;
}

}  // namespace

void add_draw(CLI::App& program, Job& job) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App* command = program.add_subcommand("draw", "Draw an instance and a solution");
  command->add_option("file", options->file, "Instance: .tsp or .vrp")->required();
  command->add_option("solution", options->solution, "Solution: .tour or .sol");
  command->add_option("--output", options->output, "Picture to write: .svg, or .png with rsvg-convert installed")
      ->required();
  command->callback([options, &job] { job = [options] { return draw(*options); }; });
}

}  // namespace neuopt::cli
