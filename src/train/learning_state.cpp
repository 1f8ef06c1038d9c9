#include "train/learning_state.h"

namespace neuopt::train {

LearningState::LearningState(const TrainConfig& config, torch::Device device)
    : grouped(config.grouped()),
      parameters(config.architecture(), device, config.has_critic()),
      adam(parameters,
           AdamOptions{
               .max_norm = config.max_norm, .own_axes = config.axes_interval > 0, .flat_steps = config.flat_steps}),
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
