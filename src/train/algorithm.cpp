#include "train/algorithm.h"

#include "train/group_learner.h"
#include "train/ppo_learner.h"

namespace neuopt::train {

std::unique_ptr<Algorithm> make_algorithm(SizeContext& context) {
  if (context.config.grouped()) return std::make_unique<GroupLearner>(context);
  return std::make_unique<PpoLearner>(context);
}

}  // namespace neuopt::train
