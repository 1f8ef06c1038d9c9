#include "core/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/text.h"

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

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string descriptor_path(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// A file without a name, which vanishes with the process however that ends; -1 where the file system has no such.
int open_unnamed(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);
  if (descriptor < 0 || access(descriptor_path(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

/// The descriptor of an open file that the path stands for, rather than for a place in a folder.
std::optional<int> named_descriptor(const std::string& path) {
  if (path == kStandardOutput) return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) {
      const std::optional<long long> number = parse_integer(std::string_view(path).substr(folder.size()));
      if (number && *number >= 0 && *number <= std::numeric_limits<int>::max()) return static_cast<int>(*number);
    }
  return std::nullopt;
}

/// Whether the path must be written as it stands: devices, pipes, open files. Others below /dev, such as those of
/// /dev/shm, are files like any.
bool is_special(const std::string& path) {
  struct stat info {};
  const bool other = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  return other || named_descriptor(path) || path.starts_with("/proc/");
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  const std::string what = is_standard_output(path) ? "cannot write to standard output" : path + ": cannot write";
  throw ResourceError(what + ": " + reason);
}

/// Also when it was closed and something that can only be read has taken its place.
void refuse_closed(int descriptor, const std::string& path) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) refuse(path, "it is not open for writing");
}

/// A descriptor of its own, to be closed like that of a file.
int duplicate(int descriptor, const std::string& path) {
  refuse_closed(descriptor, path);
  return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

/// For descriptors that return at once when they can take no more, as standard output may.
void wait_until_writable(int descriptor) {
  pollfd wish{descriptor, POLLOUT, 0};
  poll(&wish, 1, -1);
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

std::string follow_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as the system follows
  fs::path place = path;
  std::error_code none;
  for (int links = 0; links < kMostLinks && fs::is_symlink(place, none); ++links)
    place = place.parent_path() / fs::read_symlink(place, none);
  return place.string();
}

bool is_standard_output(const std::string& path) { return named_descriptor(path) == STDOUT_FILENO; }

void check_writable(const std::string& path) {
  if (const std::optional<int> descriptor = named_descriptor(path)) return refuse_closed(*descriptor, path);
  struct stat info {};
  if (is_special(path)) {
    if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) refuse(path, "is a directory");
    if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
    return;
  }
  const std::string place = follow_links(path);
  const std::string folder = folder_of(place);
  if (stat(folder.c_str(), &info) != 0 || access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(path, folder + ": " + std::strerror(errno));
  if (place.ends_with('/')) refuse(path, "is a directory");
  if (access(place.c_str(), F_OK) == 0 && access(place.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
  // A name that is too long shows here.
  if (lstat(temporary_name(place).c_str(), &info) != 0 && errno != ENOENT) refuse(path, std::strerror(errno));
}

GrowingFile::GrowingFile(std::string path) : path_(std::move(path)), special_(is_special(path_)) {
  if (const std::optional<int> descriptor = named_descriptor(path_)) {
    descriptor_ = duplicate(*descriptor, path_);
  } else if (special_) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
  } else {
    path_ = follow_links(path_);
    temporary_ = temporary_name(path_);
    descriptor_ = open_unnamed(folder_of(path_));
    named_ = descriptor_ < 0;
    if (named_) descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0644);
    struct stat replaced {};  // who may read that may read this, where the file system knows such rights
    if (descriptor_ >= 0 && stat(path_.c_str(), &replaced) == 0) (void)!fchmod(descriptor_, replaced.st_mode & 0777);
  }
  if (descriptor_ < 0) fail();
}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (named_) unlink(temporary_.c_str());
}

void GrowingFile::fail() const { refuse(path_, std::strerror(errno)); }

/// What a full disk still took of bytes that it did not take as a whole.
void GrowingFile::take_back_and_fail() const {
  const int reason = errno;
  const auto end = static_cast<off_t>(size_);
  if (!special_ && ftruncate(descriptor_, end) == 0) lseek(descriptor_, end, SEEK_SET);
  errno = reason;
  fail();
}

void GrowingFile::append(std::string_view bytes) {
  const std::size_t size = size_ + bytes.size();
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor_, bytes.data(), bytes.size());
    if (put >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(put));
    else if (errno == EAGAIN)
      wait_until_writable(descriptor_);
    else if (errno != EINTR)
      take_back_and_fail();
  }
  size_ = size;
}

void GrowingFile::complete() {
  if (special_) return;
  if (fsync(descriptor_) != 0) fail();
  if (!named_) {
    unlink(temporary_.c_str());  // of an earlier process with our number
    const std::string self = descriptor_path(descriptor_);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) fail();
    named_ = true;
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  named_ = false;
}

void write_file(const std::string& path, std::string_view bytes) {
  GrowingFile file(path);
  file.append(bytes);
  file.complete();
}

}  // namespace neuopt
