// How rollouts become updates.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Called when the searches of the batch stand where learning begins.
  virtual void begin_batch(int /*batch_number*/) {}
  /// Rolls the searches out for config.rollout_steps() steps and learns from that. Nothing waits for the device.
  virtual void learn() = 0;
  /// What only this algorithm reports of the batch.
  virtual std::optional<GroupStatistics> statistics() const { return std::nullopt; }
  /// Rows of the last update, for reports of what went wrong.
  virtual const Rows& last_rows() const = 0;
};

/// Makes an algorithm for a context, which must outlive it.
using AlgorithmMaker = std::function<std::unique_ptr<Algorithm>(SizeContext& context)>;

/// The algorithm that the context's settings name. The context must outlive it.
std::unique_ptr<Algorithm> make_algorithm(SizeContext& context);

}  // namespace neuopt::train
