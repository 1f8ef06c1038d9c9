// The ways a call can fail. The library throws these and never prints; the program turns them into exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace neuopt {

/// Base of every error the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input is wrong: a file, an option, a value (exit code 2). The message names the place and what was expected.
class InputError : public Error {
 public:
  using Error::Error;
  /// "FILE:LINE: MESSAGE"; without the line when it is 0 (binary formats).
  InputError(const std::string& file, long line, const std::string& message)
      : Error(line > 0 ? file + ":" + std::to_string(line) + ": " + message : file + ": " + message) {}
};

/// A device or another resource failed: out of memory, no such GPU, disk full (exit code 3).
class ResourceError : public Error {
 public:
  using Error::Error;
};

}  // namespace neuopt
