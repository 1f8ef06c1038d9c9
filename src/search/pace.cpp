#include "search/pace.h"

#include <algorithm>

namespace neuopt::search {
namespace {

constexpr double kCallSeconds = 0.1;  // what one call aims at
constexpr double kMargin = 1.25;      // a step may take that much longer than the last ones
constexpr long kGrowth = 4;  // calls grow at most by this factor: the first step warms caches and is no measure

}  // namespace

void Pace::record(long steps, double seconds) {
  if (steps < 1) return;
  const double measured = seconds / static_cast<double>(steps);
  // A slow call counts at once, a fast one by half.
  step_seconds_ = step_seconds_ == 0 ? measured : std::max(measured, (measured + step_seconds_) / 2);
  last_steps_ = steps;
}

long Pace::next(long wanted, Clock::time_point now) const {
  if (last_steps_ == 0) return std::min(wanted, 1l);
  double aim = kCallSeconds;
  if (deadline_) aim = std::min(aim, (seconds_between(now, *deadline_) - kAnswerReserve) / 2);
  const double affordable = step_seconds_ > 0 ? aim / step_seconds_ : static_cast<double>(wanted);
  const long steps = affordable < 1 ? 1 : static_cast<long>(std::min(affordable, 1e9));
  return std::min({wanted, steps, kGrowth * last_steps_});
}

bool Pace::out_of_time(Clock::time_point now, double share_of_step) const {
  if (!deadline_) return false;
  return seconds_between(now, *deadline_) - kAnswerReserve < kMargin * share_of_step * step_seconds_;
}

}  // namespace neuopt::search
