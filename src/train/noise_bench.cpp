#include "train/noise_bench.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "train/device.h"
#include "train/gradient_file.h"
#include "train/group_learner.h"
#include "train/size_learner.h"

namespace neuopt::train {
namespace {

constexpr int kMostMinibatches = 64;
/// The first rollouts are not timed if there are more: their work is not captured yet.
constexpr int kUntimed = 4;

/// Group rollouts whose gradients are measured. Two independent draws of rows tell what is the rollout's.
class NoiseProbe final : public Algorithm {
 public:
  NoiseProbe(SizeContext& context, GradientNoise& noise)
      : context_(context),
        learner_(context),
        noise_(noise),
        gradients_(torch::zeros({2, context.config.minibatches, context.state.parameters.grad().size(0)},
                                context.state.parameters.grad().options())) {}

  void begin_batch(int batch_number) override { learner_.begin_batch(batch_number); }
  const Rows& last_rows() const override { return learner_.last_rows(); }

  void learn() override {
    learner_.roll_out();
    for (int draw = 0; draw < 2; ++draw)
      for (int minibatch = 0; minibatch < context_.config.minibatches; ++minibatch) {
        learner_.learn_minibatch(minibatch, draw);
        gradients_[draw][minibatch].copy_(context_.state.parameters.grad());
      }
    noise_.add(gradients_);
    context_.state.clock.mark("measuring");
  }

 private:
  SizeContext& context_;
  GroupLearner learner_;
  GradientNoise& noise_;
  torch::Tensor gradients_;  // (2, M, P)
};

/// Batches of one rollout, all from the same depths and at the same weights.
TrainConfig measured_config(TrainConfig config, int depth) {
  if (config.bootstrap)
    throw InputError("bootstrap: the gradients would be those of the critic as well, expected it to be off");
  config.more_sizes.clear();
  config.steps = config.horizon;
  config.inner_epochs = 1;  // more would give the same gradient again
  config.average = 0;
  config.actor_rate = 0;
  config.curriculum = 1;
  config.first_epoch = depth;
  config.batches_per_epoch = std::numeric_limits<int>::max();
  return config;
}

void take_seconds(const PhaseClock& clock, int timed, const TrainConfig& config, NoiseBenchResult& result) {
  for (const auto& [phase, seconds] : clock.seconds()) {
    if (phase == "generation" || phase == "curriculum")
      result.warm_up_seconds += seconds / (timed * std::max(1, config.steps / config.horizon));
    else if (phase == "rollout")
      result.rollout_seconds += seconds / timed;
    else if (phase != "other" && phase != "measuring")
      result.minibatch_seconds += seconds / (timed * 2 * config.minibatches);
  }
}

void weigh_choices(NoiseBenchResult& result) {
  const MinibatchNoise all = result.figures.minibatches.back();
  for (const MinibatchNoise& part : result.figures.minibatches)
    result.choices.push_back({.minibatches = part.minibatches, .noise = part.total});
  for (int count = 1; count <= kMostMinibatches; count *= 2) {
    if (count <= all.minibatches) continue;
    const double rows = all.rows.value * all.minibatches / count;
    result.choices.push_back(
        {.minibatches = count, .measured = false, .noise = {result.figures.rollout.value + rows, all.total.error}});
  }
  for (MinibatchChoice& choice : result.choices) {
    choice.seconds = result.warm_up_seconds + result.rollout_seconds + choice.minibatches * result.minibatch_seconds;
    choice.noise_after_second = choice.noise.value * choice.seconds;
    choice.merit = result.figures.signal.value / choice.noise_after_second;
  }
  const auto best = std::min_element(result.choices.begin(), result.choices.end(), [](const auto& a, const auto& b) {
    return a.noise_after_second < b.noise_after_second;
  });
  result.best = static_cast<std::size_t>(best - result.choices.begin());
}

}  // namespace

NoiseBenchResult bench_noise(TrainConfig config, const NoiseBenchOptions& options, const Teller& tell) {
  if (!config.grouped()) throw InputError("the noise is that of group rollouts: set algorithm=groups");
  if (config.minibatches < 2) throw InputError("minibatches is 1, but noise is measured between two or more");
  NoiseBenchResult result;
  result.depth = options.depth >= 0 ? options.depth : config.curriculum_steps(config.first_epoch);
  result.rollouts = options.rollouts;
  const torch::Device device = prepare_device(config.device, config.threads);
  result.device = device.str();
  const TrainConfig measured = measured_config(config, result.depth);
  LearningState state(measured, device);
  if (!config.init.empty()) warm_start(measured, state, tell);
  const torch::Tensor& weights = state.parameters.flat();
  const torch::Tensor others = options.toward.empty() ? torch::Tensor() : read_gradients(options.toward, weights);
  GradientNoise noise;
  SizeLearner learner(measured, state, device,
                      [&](SizeContext& context) { return std::make_unique<NoiseProbe>(context, noise); });
  const auto never = [] { return false; };
  const auto no_progress = [] { return 0.0; };
  learner.train_batch(0, no_progress, never);  // the rewards of later ones depend on its mean improvement
  noise = {};
  state.clock.enable(true);
  state.clock.reset();
  const int untimed = options.rollouts > kUntimed ? kUntimed : 0;
  for (int rollout = 1; rollout <= options.rollouts; ++rollout) {
    learner.train_batch(rollout, no_progress, never);
    if (rollout == untimed) state.clock.reset();
  }
  result.figures = noise.figures();
  if (!std::isfinite(result.figures.minibatches.front().total.value)) throw ResourceError("a gradient is not finite");
  take_seconds(state.clock, options.rollouts - untimed, config, result);
  weigh_choices(result);
  if (others.defined()) {
    result.alignment = align(noise.rollout_means(), others);
    const double along = result.alignment->along.value;
    result.merit_toward = along * along / result.choices[result.best].noise_after_second;
  }
  if (!options.save.empty()) write_gradients(options.save, noise.rollout_means(), weights);
  return result;
}

}  // namespace neuopt::train
