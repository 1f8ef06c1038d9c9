// When work must end.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <optional>

namespace neuopt {

/// At a point in time, or as soon as a flag is raised, whichever comes first. Neither: never.
struct Until {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* stop = nullptr;

  bool stopped() const { return stop != nullptr && *stop; }
  bool over() const { return stopped() || !(seconds_left() > 0); }
  /// By the clock alone: negative after the deadline, infinite without one.
  double seconds_left() const {
    if (!deadline) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(*deadline - std::chrono::steady_clock::now()).count();
  }
};

/// "May I go on?", for loops that ask often: it looks at the clock now and then only, and never goes back on a no.
class GoOn {
 public:
  explicit GoOn(const Until& until) : until_(until) {}

  bool operator()() {
    if (!over_ && asked_++ % kLookEvery == 0) over_ = until_.over();
    return !over_;
  }

 private:
  static constexpr unsigned kLookEvery = 16;

  Until until_;
  unsigned asked_ = 0;
  bool over_ = false;
};

}  // namespace neuopt
