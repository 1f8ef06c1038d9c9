#include "train/run_clock.h"

#include <algorithm>
#include <limits>

namespace neuopt::train {
namespace {

double limit(double minutes) { return minutes > 0 ? 60 * minutes : std::numeric_limits<double>::infinity(); }

}  // namespace

RunClock::RunClock(double minutes, double total_minutes, double seconds_spent)
    : started_(std::chrono::steady_clock::now()),
      process_limit_(limit(minutes)),
      run_limit_(limit(total_minutes)),
      spent_(seconds_spent) {}

double RunClock::of_process() const {
  return spent_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

double RunClock::seconds_left() const { return std::min(process_limit_ - of_process(), run_limit_ - seconds()); }

double RunClock::progress() const {
  const double gone = seconds(), left = std::max(0.0, seconds_left() - kept_back_);
  return left > 0 ? gone / (gone + left) : 1;
}

}  // namespace neuopt::train
