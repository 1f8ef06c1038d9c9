// Progress on standard error: one line that is written over on a terminal; elsewhere a line a second, if asked for.
#pragma once

#include <chrono>
#include <string>

namespace neuopt::cli {

class ProgressLine {
 public:
  /// quiet: says nothing at all. verbose: reports even when standard error is no terminal.
  ProgressLine(bool quiet, bool verbose);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Clears the line on a terminal; elsewhere says where the work ended.
  ~ProgressLine();

  bool enabled() const { return terminal_ || plain_; }
  /// Shows the text, unless the last one was shown just before.
  void show(const std::string& text);
  /// Removes the line, so that something else can be printed.
  void clear();

 private:
  bool terminal_;
  bool plain_;
  bool shown_ = false;
  std::string unsaid_;  // the newest text, where no terminal shows it
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace neuopt::cli
