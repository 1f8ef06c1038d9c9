#include "train/decoding.h"

#include <vector>

#include "train/cuda/launch.h"
#include "train/decode_rows.h"
#include "train/device.h"

namespace neuopt::train {
namespace {

int nodes_of(const Observation& states) { return static_cast<int>(states.features.size(1)); }

/// What masking reads; null for a model without.
const float* masked_by(const policy::Architecture& architecture, const Observation& states) {
  return architecture.masking ? states.features.data_ptr<float>() : nullptr;
}

cuda::ProspectArguments prospect_arguments(const policy::Architecture& architecture, const Observation& states,
                                           const torch::Tensor& choices) {
  return {.batch = static_cast<int>(choices.size(0)),
          .max_moves = static_cast<int>(choices.size(1)),
          .nodes = nodes_of(states),
          .width = architecture.features(),
          .foresight = architecture.edges_foreseen(),
          .demands = traits(architecture.problem).demands,
          .features = states.features.data_ptr<float>(),
          .costs = states.costs.data_ptr<float>(),
          .choices = choices.data_ptr<std::int32_t>()};
}

/// Calls visit(row, state) for all rows, on the host.
template <class Visit>
void for_each_prospect_state(const cuda::ProspectArguments& a, Visit&& visit) {
  std::vector<float> memory(static_cast<std::size_t>(env::compact_floats(a.nodes, a.demands)));
  for (int row = 0; row < a.batch; ++row) {
    env::ProspectState state = cuda::prospect_state_of(a, row);
    env::compact(SerialLanes{}, state, memory.data());
    visit(row, state);
  }
}

torch::Tensor prospect_features(const policy::Architecture& architecture, const Observation& states,
                                const torch::Tensor& choices) {
  torch::Tensor features = torch::empty(
      {choices.size(0), choices.size(1), states.features.size(1), env::kProspectFeatures}, states.features.options());
  const cuda::ProspectArguments a = prospect_arguments(architecture, states, choices);
  auto* out = features.data_ptr<float>();
  if constexpr (cuda_built()) {
    if (choices.is_cuda()) {
      cuda::write_prospects(a, out, current_stream());
      return features;
    }
  }
  const env::HostTellers host;
  for_each_prospect_state(a, [&](int row, const env::ProspectState& state) {
    env::write_prospects(host, state, cuda::choices_of(a, row), a.max_moves, cuda::features_of(a, row, out));
  });
  return features;
}

void add_prospects(const cuda::ProspectArguments& a, const torch::Tensor& table, int k, float* scores) {
  const auto* weights = table.data_ptr<float>();
  if constexpr (cuda_built())
    if (table.is_cuda()) return cuda::add_prospects(a, k, weights, scores, current_stream());
  const env::HostTellers host;
  for_each_prospect_state(a, [&](int row, const env::ProspectState& state) {
    env::add_prospects(host, state, cuda::choices_of(a, row), k, weights,
                       scores + static_cast<std::int64_t>(row) * a.nodes);
  });
}

}  // namespace

DecodePlan plan_decoding(const policy::Architecture& architecture, const Observation& states,
                         const torch::Tensor& choices) {
  TORCH_CHECK(choices.is_contiguous() && states.previous_anchor.is_contiguous() && states.features.is_contiguous() &&
              states.costs.is_contiguous());
  const int batch = static_cast<int>(choices.size(0)), moves = static_cast<int>(choices.size(1));
  const int nodes = nodes_of(states);
  const auto flags = torch::dtype(torch::kBool).device(choices.device());
  const auto index = torch::dtype(torch::kInt64).device(choices.device());
  DecodePlan plan{torch::empty({batch, moves, nodes}, flags), torch::empty({batch, moves}, flags),
                  torch::empty({batch, moves - 1}, index), torch::empty({batch, moves - 1}, index), torch::Tensor()};
  if (architecture.prospects) plan.prospects = prospect_features(architecture, states, choices);
  const cuda::PlanArguments a{batch,
                              moves,
                              nodes,
                              architecture.fixed_k,
                              choices.data_ptr<std::int32_t>(),
                              states.previous_anchor.data_ptr<std::int32_t>(),
                              masked_by(architecture, states),
                              plan.legal.data_ptr<bool>(),
                              plan.active.data_ptr<bool>(),
                              plan.move_input.data_ptr<std::int64_t>(),
                              plan.edge_input.data_ptr<std::int64_t>()};
  if constexpr (cuda_built()) {
    if (choices.is_cuda()) {
      cuda::plan_decoding(a, current_stream());
      return plan;
    }
  }
  for (std::int64_t row = 0; row < batch; ++row) {
    const std::int64_t at = row * moves, inputs = row * (moves - 1);
    plan_row(SerialLanes{}, a.choices + at, a.previous_anchor[row], moves, nodes, a.fixed_k,
             cuda::features_of_row(a.features, static_cast<int>(row), nodes),
             PlanRow{a.legal + at * nodes, a.active + at, a.move_input + inputs, a.edge_input + inputs});
  }
  return plan;
}

void sample_choice(const policy::Architecture& architecture, const Observation& states, float* scores,
                   const torch::Tensor& prospect_table, int k, const SampleKey& key, torch::Tensor& choices,
                   torch::Tensor& log_prob, torch::Tensor& next_move_input, torch::Tensor& next_edge_input) {
  TORCH_CHECK(choices.is_contiguous() && states.features.is_contiguous());
  if (architecture.prospects)
    add_prospects(prospect_arguments(architecture, states, choices), prospect_table, k, scores);
  const float bound = architecture.bound_at(k);
  const cuda::SampleArguments a{static_cast<int>(choices.size(0)),
                                static_cast<int>(choices.size(1)),
                                nodes_of(states),
                                k,
                                architecture.fixed_k,
                                bound,
                                key.seed,
                                static_cast<std::uint32_t>(key.stream),
                                key.counters.data_ptr<std::int64_t>(),
                                scores,
                                masked_by(architecture, states),
                                states.previous_anchor.data_ptr<std::int32_t>(),
                                choices.data_ptr<std::int32_t>(),
                                log_prob.data_ptr<float>(),
                                next_move_input.data_ptr<std::int32_t>(),
                                next_edge_input.data_ptr<std::int32_t>()};
  if constexpr (cuda_built())
    if (choices.is_cuda()) return cuda::sample_choice(a, current_stream());
  std::vector<float> weights(static_cast<std::size_t>(a.nodes));
  for (int row = 0; row < a.batch; ++row)
    sample_row(SerialLanes{}, cuda::sample_row_of(a, row), k, a.nodes, a.fixed_k, bound, weights.data());
}

}  // namespace neuopt::train
