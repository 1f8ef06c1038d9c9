#include "train/size_learner.h"

#include <cmath>

namespace neuopt::train {
namespace {

/// Curriculum steps and rollouts share a stream: their search steps are numbered through. Validation has another.
constexpr std::uint32_t kTrainingStream = 0;

/// Asking whether to stop waits for the device, so curriculum steps ask now and then.
constexpr int kStepsBetweenQuestions = 16;

Observation slice(const Observation& all, std::int64_t first, std::int64_t count) {
  return {all.features.narrow(0, first, count), all.exploration.narrow(0, first, count),
          all.previous_anchor.narrow(0, first, count), all.costs.narrow(0, first, count)};
}

}  // namespace

SizeLearner::SizeLearner(const TrainConfig& config, LearningState& state, torch::Device device)
    : config_(config),
      device_(device),
      ppo_{config.gamma, config.clip, config.value_clip, config.inner_epochs},
      state_(state),
      environment_(environment_options(config, device)),
      precision_(choose_precision(config.precision, device, config.architecture(), environment_.options().nodes())),
      policy_(state_.parameters, environment_.options().nodes(), precision_),
      critic_(state_.parameters),
      sampler_(make_sampler(policy_, state_.parameters, environment_.options().nodes(), config.batch,
                            precision_ == Precision::fp16)),
      step_replay_([this] { step_without_learning(); }, device, config.graphs),
      roll_out_replay_([this] { roll_out(); }, device, config.graphs),
      update_replay_([this] { update(); }, device, config.graphs) {
  apply_precision(precision_);
  const auto real = torch::dtype(torch::kFloat32).device(device);
  const auto index = torch::dtype(torch::kInt32).device(device);
  const std::int64_t n = config.chunk, batch = config.batch;
  chunk_.states = environment_.empty_observation(static_cast<int>(n * batch));
  chunk_.last = environment_.empty_observation(config.batch);
  chunk_.choices = torch::zeros({n * batch, config.max_moves}, index);
  chunk_.log_prob = torch::zeros({n * batch}, real);
  chunk_.rewards = torch::zeros({n, batch, 3}, real);
  for (std::int64_t step = 0; step < n; ++step) step_states_.push_back(slice(chunk_.states, step * batch, batch));
  scratch_state_ = environment_.empty_observation(config.batch);
  scratch_choices_ = torch::zeros({batch, config.max_moves}, index);
  scratch_log_prob_ = torch::zeros({batch}, real);
  scratch_rewards_ = torch::zeros({batch, 3}, real);
  old_values_ = torch::zeros({n, batch, 3}, real);
  key_ = {config.seed, kTrainingStream, torch::zeros({2}, torch::dtype(torch::kInt64).device(device))};
  improvement_sum_ = torch::zeros({}, real);
  sums_ = torch::zeros({6}, real);
}

BatchStatistics SizeLearner::train_batch(int batch_number, const std::function<bool()>& stop) {
  const int epoch = config_.epoch_of(batch_number), curriculum_steps = config_.curriculum_steps(epoch);
  state_.clock.mark("other");
  begin_batch(batch_number);
  const torch::Tensor initial_cost = environment_.best_costs().mean();
  state_.clock.mark("generation");
  sampler_->take_weights();
  int curriculum_done = 0;
  while (curriculum_done < curriculum_steps &&
         !(curriculum_done % kStepsBetweenQuestions == 0 && asked_to_stop(stop))) {
    step_replay_.run();
    ++curriculum_done;
  }
  environment_.restart_from_best();
  const torch::Tensor start_cost = environment_.best_costs().mean();
  state_.clock.mark("curriculum");
  const int all_chunks = config_.steps / config_.chunk;
  int chunks = 0;
  while (chunks < all_chunks && !(chunks > 0 && asked_to_stop(stop))) {
    set_rates(epoch);
    roll_out_replay_.run();
    state_.clock.mark("rollout");
    update_replay_.run();
    state_.clock.mark("update");
    state_.updates += config_.inner_epochs;
    ++chunks;
  }
  state_.mean_improvement.copy_(improvement_sum_ / chunks);
  BatchStatistics statistics = read_statistics(chunks);
  statistics.initial_cost = initial_cost.item<double>();
  statistics.start_cost = start_cost.item<double>();
  statistics.curriculum_steps = curriculum_done;
  return statistics;
}

bool SizeLearner::asked_to_stop(const std::function<bool()>& stop) const {
  synchronize(device_);
  return stop();
}

void SizeLearner::begin_batch(int batch_number) {
  const std::int64_t first_instance = static_cast<std::int64_t>(batch_number) * config_.batch;
  const std::uint64_t series = static_cast<std::uint64_t>(config_.instance_series()) << 32;
  environment_.generate(config_.seed, series | static_cast<std::uint32_t>(first_instance));
  key_.counters.select(0, 0).fill_(first_instance);
  key_.counters.select(0, 1).fill_(0);
  improvement_sum_.zero_();
  sums_.zero_();
}

void SizeLearner::set_rates(int epoch) {
  double scale = std::pow(config_.rate_decay, epoch);
  if (state_.updates < config_.warm_up) scale *= static_cast<double>(state_.updates + 1) / config_.warm_up;
  state_.adam.set_learning_rates(config_.actor_rate * scale, config_.critic_rate * scale);
}

void SizeLearner::step_without_learning() {
  const torch::NoGradGuard no_grad;
  environment_.observe(scratch_state_);
  sampler_->sample(scratch_state_, key_, scratch_choices_, scratch_log_prob_);
  environment_.step(scratch_choices_, state_.mean_improvement, scratch_rewards_);
  key_.counters.select(0, 1).add_(1);
}

void SizeLearner::roll_out() {
  const torch::NoGradGuard no_grad;
  sampler_->take_weights();
  const std::int64_t batch = config_.batch;
  for (std::int64_t step = 0; step < config_.chunk; ++step) {
    Observation& state = step_states_[static_cast<std::size_t>(step)];
    const torch::Tensor choices = chunk_.choices.narrow(0, step * batch, batch);
    environment_.observe(state);
    sampler_->sample(state, key_, choices, chunk_.log_prob.narrow(0, step * batch, batch));
    environment_.step(choices, state_.mean_improvement, chunk_.rewards.select(0, step));
    key_.counters.select(0, 1).add_(1);
  }
  environment_.observe(chunk_.last);
  improvement_sum_.add_(chunk_.rewards.select(2, 0).mean());
}

void SizeLearner::update() {
  const DecodePlan plan =
      plan_decoding(chunk_.choices, chunk_.states.previous_anchor, environment_.options().nodes(), config_.fixed_k);
  for (int epoch = 0; epoch < config_.inner_epochs; ++epoch) inner_epoch(plan, epoch == 0);
}

void SizeLearner::inner_epoch(const DecodePlan& plan, bool first) {
  const LossParts parts = chunk_loss(policy_, critic_, chunk_, plan, first ? torch::Tensor() : old_values_, ppo_);
  const torch::Tensor loss = parts.policy_loss + parts.value_loss;
  mark_inside_update("update forward");
  find_gradients(state_.parameters, loss, chunk_.log_prob.size(0), precision_);
  mark_inside_update("backward");
  const torch::NoGradGuard no_grad;
  state_.adam.step(loss);
  if (first) old_values_.copy_(parts.values);
  const torch::Tensor row = torch::cat({torch::stack({parts.policy_loss, parts.value_loss, parts.entropy.mean()}),
                                        state_.adam.norms, torch::ones({1}, sums_.options())});
  sums_.add_(torch::where(torch::isfinite(row).all(), row, torch::zeros_like(row)));
  mark_inside_update("optimiser");
}

/// A captured graph runs as a whole: its parts can be timed only without.
void SizeLearner::mark_inside_update(const char* phase) {
  if (!config_.graphs || !device_.is_cuda()) state_.clock.mark(phase);
}

BatchStatistics SizeLearner::read_statistics(int chunks) {
  const torch::Tensor sums = (sums_ / sums_[5].clamp_min(1)).to(torch::kCPU);
  BatchStatistics statistics;
  statistics.size = config_.size;
  statistics.policy_loss = sums[0].item<double>();
  statistics.value_loss = sums[1].item<double>();
  statistics.entropy = sums[2].item<double>();
  statistics.actor_norm = sums[3].item<double>();
  statistics.critic_norm = sums[4].item<double>();
  statistics.mean_improvement = state_.mean_improvement.item<double>();
  statistics.skipped = state_.adam.skipped.item<double>();
  statistics.skipped_in_a_row = state_.adam.skipped_in_a_row.item<double>();
  statistics.final_cost = environment_.best_costs().mean().item<double>();
  statistics.steps = chunks * config_.chunk;
  return statistics;
}

}  // namespace neuopt::train
