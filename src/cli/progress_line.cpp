#include "cli/progress_line.h"

#include <unistd.h>

#include "cli/console.h"

namespace neuopt::cli {

ProgressLine::ProgressLine(bool quiet, bool verbose)
    : terminal_(!quiet && isatty(STDERR_FILENO) == 1), plain_(!quiet && verbose && !terminal_) {}

ProgressLine::~ProgressLine() {
  clear();
  if (!unsaid_.empty()) say(unsaid_ + "\n");
}

void ProgressLine::show(const std::string& text) {
  if (!enabled()) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds pause(terminal_ ? 100 : 1000);
  if (shown_ && now - last_ < pause) {
    if (plain_) unsaid_ = text;
    return;
  }
  unsaid_.clear();
  last_ = now;
  shown_ = true;
  say(terminal_ ? "\r\033[K" + text : text + "\n");
}

void ProgressLine::clear() {
  if (terminal_ && shown_) say("\r\033[K");
  shown_ = false;
}

}  // namespace neuopt::cli
