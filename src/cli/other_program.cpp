#include "cli/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "core/file.h"

namespace neuopt::cli {
namespace {

/// The words of this process's command line.
std::vector<std::string> own_arguments() {
  const std::string line = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size(); at += words.back().size() + 1) words.emplace_back(line.c_str() + at);
  return words;
}

}  // namespace

void become(const std::string& name, const std::string& missing) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").replace_filename(name);
  std::vector<std::string> words = own_arguments();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  if (errno == ENOENT) throw ResourceError("there is no " + program + ": " + missing);
  throw ResourceError(program + ": cannot be started");
}

}  // namespace neuopt::cli
