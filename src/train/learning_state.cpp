#include "train/learning_state.h"

namespace neuopt::train {

LearningState::LearningState(const TrainConfig& config, torch::Device device)
    : grouped(config.grouped()),
      parameters(config.architecture(), device, config.has_critic()),
      adam(parameters, AdamOptions{0.9, 0.999, 1e-8, config.max_norm, config.axes_interval > 0}),
      average(parameters, config.average),
      mean_improvement(torch::zeros({}, torch::dtype(torch::kFloat32).device(device))),
      value_unit(torch::zeros_like(mean_improvement)),
      clock(device) {
  parameters.initialize(config.seed);
  average.restart();
}

void LearningState::forget_progress() {
  updates = 0;
  average.restart();
  adam.skipped.zero_();
  adam.skipped_in_a_row.zero_();
  mean_improvement.zero_();
}

}  // namespace neuopt::train
