// The time of a training run: how much it has taken so far, in all processes that worked on it, and when it must end.
#pragma once

#include <chrono>

namespace neuopt::train {

class RunClock {
 public:
  /// minutes: for this process; total_minutes: for all of the run; 0: no end. seconds_spent: of this process until now.
  RunClock(double minutes, double total_minutes, double seconds_spent);

  /// Another process worked so long on the run before.
  void continue_after(double seconds) { before_ = seconds; }
  /// Learning must end so long before the time is over, for a last validation and a checkpoint.
  void keep_back(double seconds) { kept_back_ = seconds; }

  /// Of the run so far.
  double seconds() const { return before_ + of_process(); }
  /// Until the time is over; infinite where there is no end.
  double seconds_left() const;
  bool is_over() const { return seconds_left() < 0; }
  bool must_end_learning() const { return seconds_left() < kept_back_; }
  /// The share of the time for learning that is gone, 0..1; 0 where there is no end.
  double progress() const;

 private:
  double of_process() const;

  std::chrono::steady_clock::time_point started_;
  double process_limit_, run_limit_;  // seconds
  double spent_;                      // of this process when the clock was made
  double before_ = 0;
  double kept_back_ = 0;
};

}  // namespace neuopt::train
