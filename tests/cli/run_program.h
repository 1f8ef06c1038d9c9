// Runs the program and catches what it says.
#pragma once

#include <string>

namespace neuopt::test {

struct Outcome {
  int code = -1;       // exit code; -1 when it was killed
  std::string output;  // standard output
  std::string errors;  // standard error
};

/// Runs `neuopt ARGUMENTS` through the shell; arguments with odd characters need quotes. `launcher` is a command in
/// front of the program, e.g. "timeout 1".
Outcome run_program(const std::string& arguments, const std::string& launcher = "");

/// The launcher for so many ranks of mpirun. They are more than cores here; as root mpirun asks to be told twice.
inline std::string on_ranks(int count) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe --bind-to none "
         "-n " +
         std::to_string(count);
}

}  // namespace neuopt::test
