// How many steps to take at once. Few enough that a deadline holds and that reports come several times a second, many
// enough that the calls cost nothing.
#pragma once

#include <chrono>
#include <optional>

namespace neuopt::search {

using Clock = std::chrono::steady_clock;

/// Seconds between two points in time.
inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

inline Clock::time_point after(Clock::time_point begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Seconds before a deadline that are kept for verifying and writing the answer.
inline constexpr double kAnswerReserve = 0.01;

/// Learns the time of a step from what the last calls took.
class Pace {
 public:
  /// `step_seconds` is what a step is expected to take; 0: unknown.
  explicit Pace(std::optional<Clock::time_point> deadline = std::nullopt, double step_seconds = 0)
      : deadline_(deadline), step_seconds_(step_seconds) {}

  /// Records that `steps` steps took that long.
  void record(long steps, double seconds);

  /// Steps to take next, between 1 and `wanted`: about a tenth of a second, and at most half the time left.
  long next(long wanted, Clock::time_point now) const;

  /// True when a share of a step (1: all of it) would not end before the deadline any more.
  bool out_of_time(Clock::time_point now, double share_of_step = 1) const;

  /// Whether anything was recorded.
  bool measured() const { return last_steps_ > 0; }

  /// Seconds of one step as measured lately, or as expected before the first.
  double step_seconds() const { return step_seconds_; }

 private:
  std::optional<Clock::time_point> deadline_;
  double step_seconds_;
  long last_steps_ = 0;
};

}  // namespace neuopt::search
