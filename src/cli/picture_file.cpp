#include "cli/picture_file.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "core/error.h"
#include "core/file.h"

extern char** environ;

namespace neuopt::cli {
namespace {

constexpr const char* kConverter = "rsvg-convert";

bool converter_installed() {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + kConverter).c_str(), X_OK) == 0) return true;
  return false;
}

/// A file without a name, gone when it is closed.
using UnnamedFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
UnnamedFile unnamed_file() { return {std::tmpfile(), std::fclose}; }

/// Runs the converter without a shell from one file to another; returns whether it did its work.
bool convert(std::FILE* svg, std::FILE* png) {
  std::string name = kConverter, option = "--zoom", zoom = "2";
  char* arguments[] = {name.data(), option.data(), zoom.data(), nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, fileno(svg), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, fileno(png), STDOUT_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, kConverter, &streams, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&streams);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The picture as PNG.
std::string to_png(const std::string& path, std::string_view svg) {
  const UnnamedFile from = unnamed_file(), to = unnamed_file();
  if (!from || !to || std::fwrite(svg.data(), 1, svg.size(), from.get()) != svg.size() || std::fflush(from.get()) != 0)
    throw ResourceError(path + ": cannot make a temporary file for the picture");
  std::rewind(from.get());
  if (!convert(from.get(), to.get())) throw ResourceError(path + ": " + kConverter + " failed");
  std::string png;
  char buffer[1 << 16];
  std::fseek(to.get(), 0, SEEK_SET);
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), to.get())) > 0;) png.append(buffer, got);
  return png;
}

}  // namespace

void check_picture_path(const std::string& path) {
  const bool standard_output = path == kStandardOutput;  // takes an SVG
  if (!standard_output && !path.ends_with(".svg") && !path.ends_with(".png"))
    throw InputError(path + ": expected a name that ends in .svg or .png");
  if (path.ends_with(".png") && !converter_installed())
    throw ResourceError(path + ": rsvg-convert is not installed (Debian: librsvg2-bin); a name in .svg needs none");
  check_writable(path);
}

void write_picture(const std::string& path, std::string_view svg) {
  check_picture_path(path);
  write_file(path, path.ends_with(".png") ? to_png(path, svg) : svg);
}

}  // namespace neuopt::cli
