#include "cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/launch.h"
#include "core/text.h"

namespace neuopt::cli {
namespace {

int fail(ExitCode code, const std::string& message) {
  say("neuopt: " + message + "\n");
  return code;
}

/// Takes the places of standard streams that the caller closed, so that no file of ours is opened there and written
/// into by mistake. They are open for reading only: writing to them fails as it did.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
}

/// Letters to insert, remove or change to make one word the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// What is wrong with the subcommands given, where that is the matter: one is missing, or it is none of ours.
std::string wrong_subcommand(const CLI::App& program, int argc, char** argv) {
  const CLI::App* app = &program;
  for (int i = 1; app->get_require_subcommand_min() > 0; ++i) {
    const auto known = app->get_subcommands([](const CLI::App*) { return true; });
    const std::string name = app == &program ? "neuopt" : "neuopt " + app->get_name();
    if (i >= argc) return "expected a subcommand\n\n" + app->help(app == &program ? "" : "neuopt");
    const std::string word = argv[i];
    if (word.starts_with('-') && app == &program)
      return fmt::format("there is no option {} before the subcommand, '{} --help' lists them all", quote_bytes(word),
                         name);
    if (word.starts_with('-')) return {};
    const auto by_distance = [&](const CLI::App* a, const CLI::App* b) {
      return distance(word, a->get_name()) < distance(word, b->get_name());
    };
    const CLI::App* nearest = *std::min_element(known.begin(), known.end(), by_distance);
    if (nearest->get_name() != word) {
      const bool near = 2 * distance(word, nearest->get_name()) <= nearest->get_name().size();
      return fmt::format("there is no subcommand {}{} '{} --help' lists them all", quote_bytes(word),
                         near ? fmt::format(", did you mean '{}'?", nearest->get_name()) : ";", name);
    }
    app = nearest;
  }
  return {};
}

/// Runs the job; results that did not reach standard output count as a failed resource.
int run(const Job& job) {
  try {
    const int code = job();
    flush_output();
    return code;
  } catch (const std::exception& error) {
    return fail(exit_code(error), error_text(error));
  }
}

}  // namespace

int run_program(int argc, char** argv, std::span<const AddCommand> commands) {
  occupy_closed_streams();
  CLI::App program("A learned k-opt solver for routing problems.", "neuopt");
  program.set_version_flag("--version", "neuopt " NEUOPT_VERSION);
  program.require_subcommand(1);
  Job job;
  for (const AddCommand add_command : commands) add_command(program, job);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return run([&] { return program.exit(help_or_version); });
  } catch (const CLI::ParseError& error) {
    const std::string subcommand = wrong_subcommand(program, argc, argv);
    if (!speaks_for_launch()) return 0;  // the one that does has the same to say, and the exit code
    return fail(kBadInput, subcommand.empty() ? error.what() : subcommand);
  }
  return run(job);
}

}  // namespace neuopt::cli
