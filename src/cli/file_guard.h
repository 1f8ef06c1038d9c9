// Keeps what a command reads from being destroyed by what it writes. Every command that writes declares its files here
// before it works.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

namespace neuopt::cli {

class FileGuard {
 public:
  /// The command reads this file. Nothing happens when there is none, e.g. because the word names a bundled model.
  /// `what` is its name in errors, as in "the instance".
  void reads(const std::string& path, const std::string& what);

  /// The command writes this file, by the option or argument `what`; an empty path is no file. Throws InputError when
  /// it is one of those declared before: by device and inode, so that links and other spellings are seen through, or
  /// by its place where it is yet to be made. Devices and pipes may be written any number of times. A file that may be
  /// replaced is one that is declared as read only afterwards.
  void writes(const std::string& path, const std::string& what);

 private:
  struct File {
    std::string path, what;
  };
  std::map<std::string, File> files_;  // by what identifies them
};

/// Throws InputError when the path of --output ends as pictures, instances or models do, or in one of the other
/// endings: what is written there would not be what it seems.
void refuse_foreign_ending(const std::string& path, std::initializer_list<const char*> others,
                           const std::string& expected);

}  // namespace neuopt::cli
