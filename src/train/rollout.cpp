#include "train/rollout.h"

namespace neuopt::train {

Observation slice(const Observation& all, std::int64_t first, std::int64_t count) {
  return {all.features.narrow(0, first, count), all.exploration.narrow(0, first, count),
          all.previous_anchor.narrow(0, first, count), all.costs.narrow(0, first, count)};
}

void take_rows(const torch::Tensor& from, const torch::Tensor& index, torch::Tensor& to) {
  torch::index_select_out(to, from, 0, index);
}

void take_states(const Observation& from, const torch::Tensor& index, Observation& to) {
  take_rows(from.features, index, to.features);
  take_rows(from.exploration, index, to.exploration);
  take_rows(from.previous_anchor, index, to.previous_anchor);
  take_rows(from.costs, index, to.costs);
}

Observation states_at(const Chunk& chunk, int step) {
  const std::int64_t batch = chunk.rewards.size(1);
  return slice(chunk.states, step * batch, batch);
}

Rows empty_rows(const BatchEnvironment& environment, std::int64_t rows) {
  const EnvironmentOptions& options = environment.options();
  return {environment.empty_observation(static_cast<int>(rows)),
          torch::zeros({rows, options.max_moves}, torch::dtype(torch::kInt32).device(options.device)),
          torch::zeros({rows}, torch::dtype(torch::kFloat32).device(options.device))};
}

Chunk empty_chunk(const BatchEnvironment& environment, int steps) {
  const std::int64_t batch = environment.options().batch;
  Chunk chunk{empty_rows(environment, steps * batch), {}, {}, {}};
  chunk.rewards = torch::zeros({steps, batch, 3}, chunk.log_prob.options());
  return chunk;
}

void roll_out(BatchEnvironment& environment, Sampler& sampler, const SampleKey& key,
              const torch::Tensor& mean_improvement, Chunk& into) {
  const std::int64_t steps = into.rewards.size(0), batch = into.rewards.size(1);
  const auto record_tours = [&](std::int64_t step) {
    if (into.orders.defined()) into.orders.select(0, step).copy_(environment.orders());
  };
  record_tours(0);
  for (std::int64_t step = 0; step < steps; ++step) {
    Observation state = states_at(into, static_cast<int>(step));
    const torch::Tensor choices = into.choices.narrow(0, step * batch, batch);
    environment.observe(state);
    sampler.sample(state, key, choices, into.log_prob.narrow(0, step * batch, batch));
    environment.step(choices, mean_improvement, into.rewards.select(0, step));
    record_tours(step + 1);
    key.counters.select(0, 1).add_(1);
  }
}

}  // namespace neuopt::train
