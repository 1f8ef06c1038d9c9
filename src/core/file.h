// Whole files in and out. A new file takes its name in one step when it is complete, so that a file is either the old
// one or the complete new one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neuopt {

/// Of the files that are read as a whole.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 31;

/// The bytes of a file. Throws InputError when it cannot be opened, is a directory, or is larger than `limit`.
std::string read_file(const std::string& path, std::size_t limit = kLargestFile);

/// Where the path leads when its last part is a symbolic link, which need not lead anywhere yet; else the path itself.
std::string follow_links(const std::string& path);

/// The path that stands for standard output. It is never opened but written through the descriptor that the process was
/// given: a socket cannot be opened, nor a file that only whoever started this process may write to, and a file that is
/// opened twice is written over by whoever comes second. The same holds for /dev/stderr and /dev/fd/N.
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// Whether the path names the descriptor of standard output: /dev/stdout, /dev/fd/1 or /proc/self/fd/1.
bool is_standard_output(const std::string& path);

/// Throws ResourceError when write_file could not write there: no such folder, no permission, a folder of that name,
/// standard output or another descriptor that is closed. Creates nothing. For a look before long work; the disk may
/// still be full afterwards.
void check_writable(const std::string& path);

/// A file that grows without a name until it is complete, or beside its target under a temporary one where the file
/// system knows no files without names. The target of a symbolic link is replaced, not the link. What cannot be renamed
/// over, a device or an open file such as standard output, is written directly.
class GrowingFile {
 public:
  /// Throws ResourceError when the temporary file cannot be opened, or the descriptor that the path names is closed.
  explicit GrowingFile(std::string path);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  /// Nothing is left of a file that was not completed.
  ~GrowingFile();

  // Both throw ResourceError when the bytes cannot be written.
  /// Then none of them are in the file, which may still be completed; what was written directly cannot be taken back.
  void append(std::string_view bytes);
  /// Gives the file its name.
  void complete();

 private:
  [[noreturn]] void fail() const;
  [[noreturn]] void take_back_and_fail() const;

  std::string path_, temporary_;
  int descriptor_ = -1;
  std::size_t size_ = 0;  // of all that was appended
  bool special_ = false;  // no regular file
  bool named_ = false;    // the temporary file has its name
};

/// Replaces the file atomically. Throws ResourceError when the bytes cannot be written.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace neuopt
