// Searches before learning, more of them than learn: two of each instance, rivals. One that its rival has beaten is
// known to have something left to find, where most others may be done; those furthest behind are learned from.
#pragma once

#include "train/replay.h"
#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {

class SearchPool {
 public:
  /// `pool` searches for each of the context's, which must outlive it.
  explicit SearchPool(SizeContext& context);

  /// Fresh instances and starts.
  void begin_batch(int batch_number);
  /// A step of every search; needs the sampler's weights.
  void step() { step_replay_.run(); }
  /// Gives the context's environment the searches furthest behind their rivals, with their instances.
  void hand_over();

  /// Search 2 i and 2 i + 1 are the rivals of instance i.
  const BatchEnvironment& searches() const { return rivals_; }

 private:
  SizeContext& context_;
  BatchEnvironment instances_;  // at their starts
  BatchEnvironment rivals_;     // two searches of each
  SampleKey key_;
  Chunk scratch_;  // of a step
  Replay step_replay_;
};

/// Which searches are furthest behind their rivals, in relation to the costs: costs (2 P) of P pairs; `count` indices,
/// the furthest first, of equal ones the first in the pool.
torch::Tensor furthest_behind(const torch::Tensor& costs, std::int64_t count);

}  // namespace neuopt::train
