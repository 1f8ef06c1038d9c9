#include "train/size_learner.h"

namespace neuopt::train {
namespace {

/// Asking whether to stop waits for the device, so curriculum steps ask now and then.
constexpr int kStepsBetweenQuestions = 16;

}  // namespace

SizeLearner::SizeLearner(const TrainConfig& config, LearningState& state, torch::Device device,
                         const AlgorithmMaker& make)
    : context_(config, state, device),
      steps_(context_, context_.environment, context_.key),
      algorithm_(make(context_)) {
  if (config.pool > 1) pool_.emplace(context_);
  if (config.parts_of_batch() > 1) starts_.emplace(context_.environment.options());
}

BatchStatistics SizeLearner::train_batch(int batch_number, const Progress& progress,
                                         const std::function<bool()>& stop) {
  PhaseClock& clock = context_.state.clock;
  const int epoch = context_.config.epoch_of(batch_number);
  clock.mark("other");
  context_.begin_batch(batch_number, progress());
  if (pool_) pool_->begin_batch(batch_number);
  torch::Tensor initial_cost = context_.environment.best_costs().mean();
  clock.mark("generation");
  const int curriculum_steps = take_curriculum_steps(context_.config.curriculum_steps(epoch), stop);
  if (pool_) initial_cost = pool_->hand_over();
  if (context_.config.fresh > 0) begin_afresh();
  context_.environment.restart_from_best();
  const torch::Tensor start_cost = context_.environment.best_costs().mean();
  clock.mark("curriculum");
  algorithm_->begin_batch(batch_number);
  BatchStatistics statistics = context_.end_batch(learn(progress, stop));
  statistics.initial_cost = initial_cost.item<double>();
  statistics.start_cost = start_cost.item<double>();
  statistics.curriculum_steps = curriculum_steps;
  statistics.group = algorithm_->statistics();
  return statistics;
}

int SizeLearner::take_curriculum_steps(int steps, const std::function<bool()>& stop) {
  context_.sampler->take_weights();
  if (starts_) starts_->branch_from(context_.environment);
  int done = 0;
  while (done < steps && !(done % kStepsBetweenQuestions == 0 && asked_to_stop(stop))) {
    begin_part(done, steps);
    pool_ ? pool_->step() : steps_.take();
    ++done;
  }
  begin_part(done, steps);
  return done;
}

/// Where a batch has several depths, its parts begin one after another, the last of them when the first has all its
/// steps: one whose turn it is goes back to its starts.
void SizeLearner::begin_part(int done, int steps) {
  const int depths = context_.config.depths, searches = context_.config.batch / depths;
  for (int part = 1; part < depths; ++part)
    if (done == static_cast<std::int64_t>(steps) * part / (depths - 1))
      context_.environment.take_searches(*starts_, part * searches, searches);
}

/// The last part of the batch is back at its starts, also where the others come from a pool.
void SizeLearner::begin_afresh() {
  const int searches = context_.config.batch / context_.config.fresh;
  context_.environment.take_searches(*starts_, context_.config.batch - searches, searches);
}

/// Returns the number of rollouts.
int SizeLearner::learn(const Progress& progress, const std::function<bool()>& stop) {
  const int rollouts = context_.config.steps / context_.config.rollout_steps();
  int done = 0;
  while (done < rollouts && !(done > 0 && asked_to_stop(stop))) {
    if (done > 0) context_.set_progress(progress());
    algorithm_->learn();
    context_.state.average.take();
    ++done;
  }
  return done;
}

bool SizeLearner::asked_to_stop(const std::function<bool()>& stop) const {
  synchronize(context_.device);
  return stop();
}

}  // namespace neuopt::train
