#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace neuopt {
namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) close(value);
  }
};

/// Where the bytes go before the rename.
std::string temporary_name(const std::string& path) { return path + "." + std::to_string(getpid()) + ".tmp"; }

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw ResourceError(path + ": cannot write: " + reason);
}

[[noreturn]] void fail_write(const std::string& path, const std::string& temporary) {
  const std::string reason = std::strerror(errno);
  unlink(temporary.c_str());
  refuse(path, reason);
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) throw InputError(path, 0, std::string("cannot open: ") + std::strerror(errno));
  struct stat info {};
  if (fstat(file.value, &info) == 0 && S_ISDIR(info.st_mode))
    throw InputError(path, 0, "is a directory, expected a file");
  std::string bytes;
  if (S_ISREG(info.st_mode)) {
    if (static_cast<std::size_t>(info.st_size) > limit)
      throw InputError(path, 0, "is larger than " + std::to_string(limit) + " bytes");
    bytes.reserve(static_cast<std::size_t>(info.st_size));
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file.value, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path, 0, std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<std::size_t>(got) > limit)
      throw InputError(path, 0, "is larger than " + std::to_string(limit) + " bytes");
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

void check_writable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) refuse(path, "is a directory");
    if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
    return;
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (stat(folder.c_str(), &info) != 0 || access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(path, folder + ": " + std::strerror(errno));
  if (slash != std::string::npos && slash + 1 == path.size()) refuse(path, "is a directory");
  // A name that is too long shows here.
  if (lstat(temporary_name(path).c_str(), &info) != 0 && errno != ENOENT) refuse(path, std::strerror(errno));
}

void write_file(const std::string& path, std::string_view bytes) {
  // A device such as /dev/stdout cannot be renamed over: write to it directly.
  struct stat info {};
  const bool special = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  const std::string temporary = special ? path : temporary_name(path);
  const Descriptor file{open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (special ? 0 : O_TRUNC), 0644)};
  if (file.value < 0) refuse(path, std::strerror(errno));
  while (!bytes.empty()) {
    const ssize_t put = write(file.value, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      if (special) refuse(path, std::strerror(errno));
      fail_write(path, temporary);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (special) return;
  if (fsync(file.value) != 0 || rename(temporary.c_str(), path.c_str()) != 0) fail_write(path, temporary);
}

}  // namespace neuopt
