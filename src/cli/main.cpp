// The program: reads the command line, runs one subcommand, turns errors into messages and exit codes.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/console.h"
#include "core/error.h"

namespace {

using neuopt::cli::Job;

enum ExitCode { kBadInput = 2, kResourceFailed = 3 };  // the jobs themselves return 0 and 1

int fail(ExitCode code, const std::string& message) {
  neuopt::cli::say("neuopt: " + message + "\n");
  return code;
}

/// Takes the places of standard streams that the caller closed, so that no file of ours is opened there and written
/// into by mistake. They are open for reading only: writing to them fails as it did.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1) return;
}

/// Runs the job; results that did not reach standard output count as a failed resource.
int run(const Job& job) {
  try {
    const int code = job();
    if (std::fflush(stdout) != 0) return fail(kResourceFailed, "cannot write to standard output");
    return code;
  } catch (const neuopt::InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kResourceFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(kResourceFailed, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  CLI::App program("A learned k-opt solver for routing problems.", "neuopt");
  program.set_version_flag("--version", "neuopt " NEUOPT_VERSION);
  program.require_subcommand(1);
  Job job;
  for (const auto add_command : neuopt::cli::kCommands) add_command(program, job);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return fail(kBadInput, error.what());
  }
  return run(job);
}
