// Searches before learning, more of them than learn: two of each instance, rivals. One that its rival has beaten is
// known to have something left to find, where most others may be done; those furthest behind are learned from.
#pragma once

#include "train/free_steps.h"
#include "train/size_context.h"

namespace neuopt::train {

class SearchPool {
 public:
  /// `pool` searches for each of the context's, which must outlive it.
  explicit SearchPool(SizeContext& context);

  /// Fresh instances and starts.
  void begin_batch(int batch_number);
  /// A step of every search; needs the sampler's weights.
  void step() { steps_.take(); }
  /// Gives the context's environment the searches furthest behind their rivals, with their instances. Returns the mean
  /// cost at which these began.
  torch::Tensor hand_over();

  /// Search 2 i and 2 i + 1 are the rivals of instance i. They see the same augmentations, and part by their actions.
  const BatchEnvironment& searches() const { return rivals_; }

 private:
  SizeContext& context_;
  BatchEnvironment instances_;  // at their starts
  BatchEnvironment rivals_;     // two searches of each
  SampleKey key_;
  FreeSteps steps_;
};

/// Which searches are furthest behind their rivals, in relation to the costs: costs (2 P) of P pairs; `count` indices,
/// the furthest first, of equal ones the first in the pool, and at most one of each pair.
torch::Tensor furthest_behind(const torch::Tensor& costs, std::int64_t count);

}  // namespace neuopt::train
