#include "train/learner.h"

namespace neuopt::train {

Learner::Learner(const TrainConfig& config, torch::Device device) : state_(config, device) {
  sizes_.push_back(std::make_unique<SizeLearner>(config, state_, device));
  for (const int size : config.more_sizes)
    sizes_.push_back(std::make_unique<SizeLearner>(config.with_size(size), state_, device));
}

BatchStatistics Learner::train_batch(int batch_number, const Progress& progress, const std::function<bool()>& stop) {
  last_ = static_cast<std::size_t>(batch_number) % sizes_.size();
  return sizes_[last_]->train_batch(batch_number, progress, stop);
}

}  // namespace neuopt::train
