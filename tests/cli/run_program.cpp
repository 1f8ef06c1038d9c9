#include "cli/run_program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace neuopt::test {

Outcome run_program(const std::string& arguments, const std::string& launcher) {
  const TemporaryFolder folder;
  const std::string program = std::filesystem::absolute(NEUOPT_PROGRAM);  // launchers may change the folder
  const std::string command = launcher + " \"" + program + "\" " + arguments + " >\"" + (folder / "output") +
                              "\" 2>\"" + (folder / "errors") + "\"";
  const int status = std::system(command.c_str());
  Outcome outcome;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  outcome.output = read_file(folder / "output");
  outcome.errors = read_file(folder / "errors");
  return outcome;
}

}  // namespace neuopt::test
