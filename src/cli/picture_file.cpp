#include "cli/picture_file.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>

#include "core/error.h"
#include "core/file.h"

extern char** environ;

namespace neuopt::cli {
namespace {

/// Runs the converter without a shell, so that no name can be mistaken for a command. Returns its exit code, or 127
/// when it is not there.
int convert(const std::string& svg, const std::string& png) {
  std::string arguments[] = {"rsvg-convert", "--zoom", "2", "--output", png, svg};
  char* list[] = {arguments[0].data(),
                  arguments[1].data(),
                  arguments[2].data(),
                  arguments[3].data(),
                  arguments[4].data(),
                  arguments[5].data(),
                  nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "rsvg-convert", nullptr, nullptr, list, environ) != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void check_picture_path(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    throw InputError(path + ": expected a name that ends in .svg or .png");
  check_writable(path);
}

void write_picture(const std::string& path, std::string_view svg) {
  check_picture_path(path);
  if (path.ends_with(".svg")) return write_file(path, svg);
  const std::string intermediate = path + ".svg.tmp";
  write_file(intermediate, svg);
  // A path that begins with a dash would read as an option.
  const std::string prefix = path.starts_with('-') ? "./" : "";
  const int code = convert(prefix + intermediate, prefix + path);
  std::remove(intermediate.c_str());
  if (code == 127)
    throw ResourceError(path + ": rsvg-convert is not installed (Debian: librsvg2-bin); a name in .svg needs none");
  if (code != 0) throw ResourceError(path + ": rsvg-convert failed");
}

}  // namespace neuopt::cli
