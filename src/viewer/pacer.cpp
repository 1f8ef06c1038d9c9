#include "viewer/pacer.h"

#include <algorithm>

namespace neuopt::viewer {

void Pacer::update_free() { free_ = stop_ || (!paused_ && !(speed_ > 0)); }

void Pacer::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_allowed_ = 0;
  update_free();
}

void Pacer::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  update_free();
  changed_.notify_all();
}

void Pacer::step() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_allowed_ = std::min(steps_allowed_ + 1, 100);
  update_free();
  changed_.notify_all();
}

void Pacer::set_speed(double steps_per_second) {
  const std::lock_guard lock(mutex_);
  speed_ = steps_per_second;
  next_turn_ = Clock::now();
  update_free();
  changed_.notify_all();
}

void Pacer::stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  update_free();
  changed_.notify_all();
}

void Pacer::wait_turn() {
  if (free_) return;
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop_) break;
    if (paused_ && steps_allowed_ > 0) {
      --steps_allowed_;
      break;
    }
    if (paused_) {
      changed_.wait(lock);
      continue;
    }
    if (!(speed_ > 0) || Clock::now() >= next_turn_) break;
    changed_.wait_until(lock, next_turn_);
  }
  if (speed_ > 0)
    next_turn_ = std::max(next_turn_, Clock::now() - std::chrono::milliseconds(50)) +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / speed_));
  waited_ += Clock::now() - begin;
}

}  // namespace neuopt::viewer
