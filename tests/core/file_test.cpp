#include "core/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

int entries(const std::string& folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

ino_t inode(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_ino;
}

/// Puts another descriptor in the place of standard output while it lives; -1 closes it.
class OutputInstead {
 public:
  explicit OutputInstead(int descriptor) {
    std::fflush(stdout);
    kept_ = dup(STDOUT_FILENO);
    if (descriptor < 0)
      close(STDOUT_FILENO);
    else
      dup2(descriptor, STDOUT_FILENO);
  }
  ~OutputInstead() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }

 private:
  int kept_;
};

struct SocketPair {
  int ends[2] = {-1, -1};

  SocketPair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~SocketPair() {
    for (const int end : ends) close(end);
  }
  std::string read_from_first(std::size_t count) const {
    std::string bytes(count, '\0');
    const ssize_t got = recv(ends[0], bytes.data(), count, MSG_WAITALL);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return bytes;
  }
};

/// Lets no file of this process grow beyond so many bytes while it lives.
class LargestFile {
 public:
  explicit LargestFile(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~LargestFile() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(File, ReadsBackWhatItWrote) {
  const test::TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x"), bytes);
  write_file(folder / "x", "");
  EXPECT_EQ(read_file(folder / "x"), "");
}

TEST(File, IsReplacedAndNotWrittenOver) {
  const test::TemporaryFolder folder;
  write_file(folder / "x", "old");
  // Whoever has the old file open goes on seeing the old bytes: the name moves to a new file.
  std::filesystem::create_hard_link(folder / "x", folder / "still-old");
  write_file(folder / "x", "new");
  EXPECT_EQ(read_file(folder / "x"), "new");
  EXPECT_EQ(read_file(folder / "still-old"), "old");
  EXPECT_NE(inode(folder / "x"), inode(folder / "still-old"));
  EXPECT_EQ(entries(folder.path()), 2) << "no temporary file is left behind";
}

TEST(File, ReplacedKeepsItsPermissions) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "private";
  write_file(path, "old");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  write_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(File, ALinkStaysALink) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "other");
  for (const char* content : {"new", "newer"}) {
    if (!std::filesystem::is_symlink(folder / "link")) {
      std::filesystem::create_symlink("other/middle", folder / "link");
      std::filesystem::create_symlink("x", folder / "other/middle");
    }
    EXPECT_NO_THROW(check_writable(folder / "link"));
    write_file(folder / "link", content);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "other/middle"));
    EXPECT_EQ(read_file(folder / "other/x"), content);
  }
  EXPECT_EQ(entries(folder / "other"), 2);
  std::filesystem::create_symlink("missing/x", folder / "nowhere");
  EXPECT_THROW(check_writable(folder / "nowhere"), ResourceError);
  EXPECT_THROW(write_file(folder / "nowhere", "x"), ResourceError);
}

TEST(File, ThatGrowsIsNotSeenBeforeItIsComplete) {
  const test::TemporaryFolder folder;
  const int descriptor = open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (descriptor < 0) GTEST_SKIP() << "no files without names here";
  close(descriptor);
  {
    GrowingFile abandoned(folder / "x");
    abandoned.append("some");
    EXPECT_EQ(entries(folder.path()), 0) << "a kill would leave this behind";
  }
  GrowingFile file(folder / "x");
  file.append("all");
  file.complete();
  EXPECT_EQ(read_file(folder / "x"), "all");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(File, LeavesNothingBehindWhenItCannotBeWritten) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(write_file(folder / "missing/x", "bytes"), ResourceError);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(File, CanBeCheckedBeforeItIsWritten) {
  const test::TemporaryFolder folder;
  EXPECT_NO_THROW(check_writable(folder / "x"));
  EXPECT_NO_THROW(check_writable("x-in-this-folder"));
  EXPECT_NO_THROW(check_writable("/dev/null"));
  EXPECT_THROW(check_writable(folder / "missing/x"), ResourceError);
  EXPECT_THROW(check_writable(folder.path()), ResourceError);
  EXPECT_THROW(check_writable(folder / "x/"), ResourceError);
  EXPECT_THROW(check_writable(folder / std::string(300, 'x')), ResourceError);
  EXPECT_EQ(entries(folder.path()), 0) << "looking creates nothing";
  write_file(folder / "x", "bytes");
  EXPECT_NO_THROW(check_writable(folder / "x"));
  EXPECT_THROW(check_writable(folder / "x/y"), ResourceError);
}

TEST(File, GrowsUnderAnotherNameUntilItIsComplete) {
  const test::TemporaryFolder folder;
  write_file(folder / "x", "old");
  {
    GrowingFile file(folder / "x");
    file.append("one");
  }
  EXPECT_EQ(read_file(folder / "x"), "old") << "it was never completed";
  EXPECT_EQ(entries(folder.path()), 1);
  GrowingFile file(folder / "x");
  file.append("one, ");
  file.append("two");
  EXPECT_EQ(read_file(folder / "x"), "old");
  file.complete();
  EXPECT_EQ(read_file(folder / "x"), "one, two");
  EXPECT_THROW(GrowingFile(folder / "missing/x"), ResourceError);
}

TEST(File, TakesAllBytesOrNone) {
  const test::TemporaryFolder folder;
  const LargestFile limit(12);
  GrowingFile file(folder / "x");
  file.append("first,");
  try {
    file.append("more than fits");
    ADD_FAILURE() << "it fitted";
  } catch (const ResourceError& error) {
    EXPECT_EQ(std::string(error.what()), (folder / "x") + ": cannot write: " + std::strerror(EFBIG));
  }
  file.append("last");
  file.complete();
  EXPECT_EQ(read_file(folder / "x"), "first,last");
}

TEST(File, FullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  EXPECT_THROW(write_file("/dev/full", "bytes"), ResourceError);
}

TEST(File, StandardOutputMayBeASocket) {
  const SocketPair sockets;
  const OutputInstead instead(sockets.ends[1]);
  EXPECT_NO_THROW(check_writable(kStandardOutput));
  EXPECT_NO_THROW(write_file(kStandardOutput, "bytes")) << "a socket cannot be opened";
  EXPECT_EQ(sockets.read_from_first(5), "bytes");
}

TEST(File, StandardOutputHasSeveralNames) {
  for (const char* path : {kStandardOutput, "/dev/fd/1", "/proc/self/fd/1"})
    EXPECT_TRUE(is_standard_output(path)) << path;
  for (const char* path : {"", "-", "1", "/dev/stderr", "/dev/fd/", "/dev/fd/11", "/proc/self/fd/2"})
    EXPECT_FALSE(is_standard_output(path)) << path;
}

TEST(File, StandardOutputThatDoesNotWaitGetsAllTheSame) {
  const std::string bytes(std::size_t{8} << 20, 'x');  // more than a socket holds
  const SocketPair sockets;
  ASSERT_EQ(fcntl(sockets.ends[1], F_SETFL, O_NONBLOCK), 0);
  std::size_t received = 0;
  std::thread reader([&] { received = sockets.read_from_first(bytes.size()).size(); });
  {
    const OutputInstead instead(sockets.ends[1]);
    EXPECT_NO_THROW(write_file(kStandardOutput, bytes));
  }
  shutdown(sockets.ends[1], SHUT_WR);
  reader.join();
  EXPECT_EQ(received, bytes.size());
}

TEST(File, StandardOutputIsTheFileThatIsOpenThere) {
  const test::TemporaryFolder folder;
  const int file = open((folder / "x").c_str(), O_WRONLY | O_CREAT, 0600);
  {
    const OutputInstead instead(file);
    EXPECT_EQ(write(STDOUT_FILENO, "one, ", 5), 5);
    write_file(kStandardOutput, "two, ");
    EXPECT_EQ(write(STDOUT_FILENO, "three", 5), 5) << "standard output is still open";
  }
  close(file);
  EXPECT_EQ(read_file(folder / "x"), "one, two, three") << "opened a second time it has a place of its own";
}

TEST(File, DescriptorsAreTheFilesThatAreOpenThere) {
  const test::TemporaryFolder folder;
  for (const char* names : {"/dev/fd/", "/proc/self/fd/"}) {
    const int file = open((folder / "x").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string path = names + std::to_string(file);
    EXPECT_EQ(write(file, "one, ", 5), 5);
    EXPECT_NO_THROW(check_writable(path));
    write_file(path, "two, ");
    EXPECT_EQ(write(file, "three", 5), 5);
    close(file);
    EXPECT_EQ(read_file(folder / "x"), "one, two, three");
    EXPECT_THROW(check_writable(path), ResourceError);
    EXPECT_THROW(write_file(path, "four"), ResourceError);
  }
}

TEST(File, InSharedMemoryIsAFileLikeAny) {
  if (access("/dev/shm", W_OK | X_OK) != 0) GTEST_SKIP() << "needs /dev/shm";
  const std::string path = "/dev/shm/neuopt-file-test-" + std::to_string(getpid());
  EXPECT_NO_THROW(check_writable(path)) << "it is yet to be made";
  for (const char* content : {"a longer one", "new"}) {
    EXPECT_NO_THROW(write_file(path, content));
    EXPECT_EQ(read_file(path), content) << "not appended to";
  }
  {
    GrowingFile abandoned(path);
    abandoned.append("some");
  }
  EXPECT_EQ(read_file(path), "new");
  unlink(path.c_str());
}

TEST(File, ClosedStandardOutputIsAnError) {
  const int unwritable = open("/dev/null", O_RDONLY);
  for (const int descriptor : {-1, unwritable}) {
    const OutputInstead instead(descriptor);
    EXPECT_THROW(check_writable(kStandardOutput), ResourceError);
    EXPECT_THROW(GrowingFile{kStandardOutput}, ResourceError);
  }
  close(unwritable);
}

TEST(File, RefusesWhatIsNoFileOrTooLarge) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_file(folder / "missing"), InputError);
  EXPECT_THROW(read_file(folder.path()), InputError);
  write_file(folder / "x", "12345");
  EXPECT_EQ(read_file(folder / "x", 5), "12345");
  EXPECT_THROW(read_file(folder / "x", 4), InputError);
  EXPECT_THROW(read_file("/dev/zero", 100000), InputError);
}

}  // namespace
}  // namespace neuopt
