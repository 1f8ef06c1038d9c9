// The processes that learn one policy together: each has instances of its own, and all make the same updates from the
// mean of their gradients. How they talk is not the trainer's business.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace neuopt::train {

/// A team of one, which agrees with itself. All members make the same calls in the same order.
class Team {
 public:
  virtual ~Team() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Once, before any numbers are averaged, which then are on this device or on the host. Says how that is done, for
  /// the log.
  virtual std::string meet(torch::Device /*device*/) { return ""; }
  /// Replaces the numbers by their mean over the team, the same bits on all.
  virtual void average(torch::Tensor& /*numbers*/) {}
  /// Whether any says yes.
  virtual bool any(bool yes) { return yes; }
  /// The number of rank 0.
  virtual double of_first(double number) { return number; }

  /// Replaces the numbers by those of rank 0, the same bits on all.
  void take_first(torch::Tensor& numbers) {
    if (size() == 1) return;
    leads() ? numbers.mul_(size()) : numbers.zero_();
    average(numbers);
  }

  /// The place of a member's batch among those of all members: whose instances and random numbers it has.
  std::int64_t place(int batch_number) const { return static_cast<std::int64_t>(batch_number) * size() + rank(); }
  /// Whether this member writes and speaks for all.
  bool leads() const { return rank() == 0; }
};

}  // namespace neuopt::train
