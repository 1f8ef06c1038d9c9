// Group rollouts on a CPU, at the beginning of a batch.
#pragma once

#include "train/group_learner.h"

namespace neuopt::train {

struct GroupLearning {
  explicit GroupLearning(const TrainConfig& config, int batch = 0)
      : state(config, torch::kCPU), context(config, state, torch::kCPU), learner(context) {
    context.begin_batch(batch, 0);
    learner.begin_batch(batch);
    state.mean_improvement.fill_(0.01);
  }

  LearningState state;
  SizeContext context;
  GroupLearner learner;
};

}  // namespace neuopt::train
