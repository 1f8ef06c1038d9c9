// Search steps that nothing is learned from: those before a batch learns.
#pragma once

#include "train/replay.h"
#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {

class FreeSteps {
 public:
  /// Of these searches, with random numbers of this key. All must outlive it.
  FreeSteps(SizeContext& context, BatchEnvironment& searches, const SampleKey& key)
      : scratch_(empty_chunk(searches, 1)),
        replay_(
            [&context, &searches, &key, this] {
              const torch::NoGradGuard no_grad;
              roll_out(searches, *context.sampler, key, context.state.mean_improvement, scratch_);
            },
            context.device, context.config.graphs) {}
  FreeSteps(const FreeSteps&) = delete;
  FreeSteps& operator=(const FreeSteps&) = delete;

  /// One step; needs the sampler's weights.
  void take() { replay_.run(); }

 private:
  Chunk scratch_;
  Replay replay_;
};

}  // namespace neuopt::train
