#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace neuopt::cli {

ProgressLine::ProgressLine(bool quiet, bool verbose)
    : terminal_(!quiet && isatty(STDERR_FILENO) == 1), plain_(!quiet && verbose && !terminal_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const std::string& text) {
  if (!enabled()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds pause(terminal_ ? 100 : 1000);
  if (shown_ && now - last_ < pause) return;
  last_ = now;
  shown_ = true;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (terminal_ && shown_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
  shown_ = false;
}

}  // namespace neuopt::cli
