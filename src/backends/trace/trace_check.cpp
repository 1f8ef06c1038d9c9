#include "backends/trace/trace_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/action_builder.h"
#include "backends/copy_state.h"
#include "backends/network_input.h"
#include "backends/reference/encoder.h"
#include "policy/logits.h"
#include "policy/positional_encoding.h"

namespace neuopt::backends::trace {
namespace {

/// Offers the rows of one instance and step under short names.
class Comparison {
 public:
  Comparison(Discrepancies& table, int step, int instance)
      : table_(table), where_(fmt::format("step {}, instance {}", step, instance)) {}

  void value(const std::string& quantity, double actual, double recorded) {
    table_.compare(quantity, actual, recorded, where_);
  }
  /// Every actual value with the recorded ones from `offset` on.
  template <class Actual, class Recorded>
  void row(const std::string& quantity, const Actual& actual, const Recorded& recorded, std::size_t offset) {
    for (std::size_t i = 0; i < actual.size(); ++i)
      value(quantity, static_cast<double>(actual[i]), static_cast<double>(recorded[offset + i]));
  }

 private:
  Discrepancies& table_;
  std::string where_;
};

policy::SessionOptions replay_options(const Trace& trace, int instance) {
  policy::SessionOptions options;
  options.stall_limit = 0;
  options.augment_start = false;
  options.gire = trace.gire(instance);
  return options;
}

policy::NetworkInput network_input(const Trace& trace, const TraceStep& step, int b) {
  const int nodes = trace.nodes(), width = trace.model().architecture.features();
  policy::NetworkInput input{};
  input.nodes = nodes;
  input.depots = trace.instance(b).depots;
  input.features =
      std::span<const float>(step.features).subspan(static_cast<std::size_t>(b) * nodes * width, nodes * width);
  input.order = step.order[b];
  if (trace.model().architecture.exploration_features)
    input.exploration =
        std::span<const float>(step.exploration)
            .subspan(static_cast<std::size_t>(b) * env::kExplorationFeatures, env::kExplorationFeatures);
  input.previous_anchor = step.previous_anchor[b];
  input.choices = step.choices[b];
  return input;
}

/// Embeddings, logits of the steps taken, legal choices, log-probability and entropy of one instance.
void compare_network(const Trace& trace, const TraceStep& step, int b, const policy::NetworkOutput& output,
                     Comparison comparison) {
  const std::size_t nodes = static_cast<std::size_t>(trace.nodes());
  const int moves = trace.model().architecture.max_moves;
  comparison.row("embeddings", output.embeddings, step.embeddings, output.embeddings.size() * b);

  InputTour tour(network_input(trace, step, b));
  ActionBuilder builder(trace.model().architecture, tour.view(), step.previous_anchor[b], {});
  while (builder.open()) {
    const int k = builder.step();
    for (std::size_t node = 0; node < nodes; ++node) {
      const double recorded = step.logits[(static_cast<std::size_t>(b) * moves + k) * nodes + node];
      const double actual = output.logits[k * nodes + node];
      const bool legal = policy::legal_logit(actual), was_legal = policy::legal_logit(recorded);
      comparison.value("legal choices", legal, was_legal);
      if (legal && was_legal) comparison.value("logits", actual, recorded);
    }
    builder.choose(step.choices[b][k]);
  }
  comparison.value("log_prob", output.log_prob, step.log_prob[b]);
  // The recording averages over K steps and counts those after an E-move as well, whose scores mean nothing.
  if (builder.step() == moves) comparison.value("entropy", output.entropy, step.entropy[b]);
}

/// What the network sees before the step, made by the environment.
void compare_observation(const Trace& trace, const TraceStep& step, int b, CopyState& copy, Comparison comparison) {
  std::vector<float> features(static_cast<std::size_t>(trace.nodes()) * trace.model().architecture.features());
  copy.write_features(features.data());
  comparison.row("node_features", features, step.features, features.size() * b);
  comparison.row("position", copy.position(), step.position, copy.position().size() * b);
}

/// Applies the recorded choices and compares what the environment makes of them.
void compare_environment(const Trace& trace, const TraceStep& step, int b, CopyState& copy, Comparison comparison) {
  ActionBuilder builder(trace.model().architecture, copy.tour(), copy.previous_anchor(), {});
  while (builder.open()) builder.choose(step.choices[b][builder.step()]);
  const env::Reward reward = copy.take(builder.action(), builder.chosen(), trace.mean_improvement());

  const std::size_t row3 = static_cast<std::size_t>(b) * 3;
  comparison.row("next_solution", copy.order(), step.next_order[b], 0);
  comparison.value("reward", reward.improvement, step.reward[row3]);
  comparison.value("next_obj", copy.status().cost, step.next_obj[row3]);
  comparison.value("next_obj", copy.status().best_cost, step.next_obj[row3 + 1]);
  if (!traits(trace.instance(b).kind).constrained) return;
  comparison.value("reward", reward.regulation, step.reward[row3 + 1]);
  comparison.value("reward", reward.bonus, step.reward[row3 + 2]);
  comparison.value("next_obj", copy.status().best_epsilon_cost, step.next_obj[row3 + 2]);
  if (step.next_exploration.empty()) return;
  std::vector<float> exploration(env::kExplorationFeatures);
  copy.write_exploration(exploration.data());
  comparison.row("next_es", exploration, step.next_exploration, exploration.size() * b);
}

/// Only the reference backend shows what is inside its encoder.
void compare_attention(const Trace& trace, const reference::Encoder& encoder, const TraceStep& step, int b,
                       Comparison comparison) {
  const std::size_t pairs = static_cast<std::size_t>(trace.nodes()) * trace.nodes();
  const policy::NetworkInput input = network_input(trace, step, b);
  const reference::HeadScores scores = encoder.first_layer_scores(input.features, InputTour(input).position());
  for (std::size_t head = 0; head < scores.size(); ++head)
    comparison.row("attn_logits_layer0", scores[head].values, step.first_scores, (head * trace.batch() + b) * pairs);
}

Discrepancies expected_quantities(const Trace& trace, bool attention, const TraceTolerances& tolerances) {
  constexpr double kRounding = 2e-6;   // of recorded values around 1
  constexpr double kSummed = 1e-5;     // of recorded sums of N edges
  constexpr double kAttention = 2e-5;  // of recorded scores, which are not scaled
  constexpr double kSame = 0;
  Discrepancies table;
  table.expect("cpe", kRounding);
  table.expect("node_features", kRounding);
  table.expect("position", kSame);
  if (attention) table.expect("attn_logits_layer0", kAttention);
  table.expect("embeddings", tolerances.embeddings);
  table.expect("legal choices", kSame);
  table.expect("logits", tolerances.logits);
  table.expect("log_prob", tolerances.logits);
  table.expect("entropy", tolerances.logits);
  table.expect("next_solution", kSame);
  table.expect("reward", kSummed);
  table.expect("next_obj", kSummed);
  if (trace.model().architecture.exploration_features) table.expect("next_es", kRounding);
  return table;
}

}  // namespace

TraceTolerances tolerances_for(const std::string& backend, const std::string& precision) {
  if (precision == "fp16") return {2e-2, 5e-2};
  TraceTolerances tolerances;
  if (backend == "cpu") tolerances.embeddings = 2e-5;
  if (backend == "cuda") tolerances.embeddings = 1e-4;
  return tolerances;
}

Discrepancies check_trace(const Trace& trace, policy::Backend& backend, const TraceTolerances& tolerances) {
  const bool attention = backend.name() == "reference";
  Discrepancies table = expected_quantities(trace, attention, tolerances);
  const int dim = trace.model().architecture.dim;
  Comparison(table, 0, 0)
      .row("cpe", policy::cyclic_positional_encoding(trace.nodes(), dim), trace.positional_encoding(), 0);

  const TraceStep first = trace.step(0);
  std::vector<CopyState> copies;
  for (int b = 0; b < trace.batch(); ++b) {
    const policy::Copy copy{&trace.instance(b), static_cast<std::uint32_t>(b), 0, first.order[b]};
    copies.emplace_back(copy, trace.model().architecture, replay_options(trace, b));
  }
  const reference::Encoder encoder(trace.model(), trace.nodes());
  for (int t = 0; t < trace.steps(); ++t) {
    const TraceStep step = t == 0 ? first : trace.step(t);
    std::vector<policy::NetworkInput> inputs;
    for (int b = 0; b < trace.batch(); ++b) inputs.push_back(network_input(trace, step, b));
    const std::vector<policy::NetworkOutput> outputs = backend.evaluate(trace.model(), inputs);
    for (int b = 0; b < trace.batch(); ++b) {
      const Comparison comparison(table, t, b);
      compare_observation(trace, step, b, copies[b], comparison);
      compare_network(trace, step, b, outputs[b], comparison);
      if (attention && !step.first_scores.empty()) compare_attention(trace, encoder, step, b, comparison);
      compare_environment(trace, step, b, copies[b], comparison);
    }
  }
  return table;
}

}  // namespace neuopt::backends::trace
