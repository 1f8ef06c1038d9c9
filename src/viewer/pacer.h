// Pause, single steps, speed and stop: how a page holds a running search.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace neuopt::viewer {

class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  // From any thread. -----------------------------------------------------------------------------------------------

  void pause();
  void resume();
  /// One step, and then a pause.
  void step();
  /// Steps in a second; 0: as fast as it goes.
  void set_speed(double steps_per_second);
  /// Ends the search, whatever it waits for or works at: before its first turn it may compute for minutes.
  void stop();
  bool paused() const { return paused_; }
  double speed() const { return speed_; }

  // From the search's thread. ----------------------------------------------------------------------------------------

  /// Called before every step: waits as long as the pause or the speed asks for. Costs next to nothing otherwise.
  void wait_turn();
  /// True when the next call of wait_turn would wait for a page.
  bool will_pause() const { return paused_ && !stop_; }
  /// What the solver looks at.
  const std::atomic<bool>* stop_flag() const { return &stop_; }
  /// Time spent waiting so far: it does not count as the search's.
  Clock::duration waited() const { return waited_; }

 private:
  void update_free();  // with the mutex held

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> free_{true};  // nothing to wait for: the way without the mutex
  std::atomic<bool> paused_{false};
  std::atomic<bool> stop_{false};
  int steps_allowed_ = 0;  // while paused
  std::atomic<double> speed_{0};
  Clock::time_point next_turn_{};
  Clock::duration waited_{0};
};

}  // namespace neuopt::viewer
