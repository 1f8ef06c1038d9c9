#include "train/decoding.h"

#include <vector>

#include "train/cuda/launch.h"
#include "train/decode_rows.h"
#include "train/device.h"

namespace neuopt::train {
namespace {

const float* rows_of(const torch::Tensor& masked) {
  if (!masked.defined()) return nullptr;
  TORCH_CHECK(masked.is_contiguous());
  return masked.data_ptr<float>();
}

}  // namespace

DecodePlan plan_decoding(const torch::Tensor& choices, const torch::Tensor& previous_anchor, int nodes, bool fixed_k,
                         const torch::Tensor& masked) {
  TORCH_CHECK(choices.is_contiguous() && previous_anchor.is_contiguous());
  const int batch = static_cast<int>(choices.size(0)), moves = static_cast<int>(choices.size(1));
  const auto flags = torch::dtype(torch::kBool).device(choices.device());
  const auto index = torch::dtype(torch::kInt64).device(choices.device());
  DecodePlan plan{torch::empty({batch, moves, nodes}, flags), torch::empty({batch, moves}, flags),
                  torch::empty({batch, moves - 1}, index), torch::empty({batch, moves - 1}, index)};
  const cuda::PlanArguments a{batch,
                              moves,
                              nodes,
                              fixed_k,
                              choices.data_ptr<std::int32_t>(),
                              previous_anchor.data_ptr<std::int32_t>(),
                              rows_of(masked),
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
    plan_row(SerialLanes{}, a.choices + at, a.previous_anchor[row], moves, nodes, fixed_k,
             cuda::features_of_row(a.features, static_cast<int>(row), nodes),
             PlanRow{a.legal + at * nodes, a.active + at, a.move_input + inputs, a.edge_input + inputs});
  }
  return plan;
}

void sample_choice(const float* scores, int nodes, int k, const torch::Tensor& previous_anchor, bool fixed_k,
                   const torch::Tensor& masked, float bound, const SampleKey& key, torch::Tensor& choices,
                   torch::Tensor& log_prob, torch::Tensor& next_move_input, torch::Tensor& next_edge_input) {
  TORCH_CHECK(choices.is_contiguous());
  const cuda::SampleArguments a{static_cast<int>(choices.size(0)),
                                static_cast<int>(choices.size(1)),
                                nodes,
                                k,
                                fixed_k,
                                bound,
                                key.seed,
                                static_cast<std::uint32_t>(key.stream),
                                key.counters.data_ptr<std::int64_t>(),
                                scores,
                                rows_of(masked),
                                previous_anchor.data_ptr<std::int32_t>(),
                                choices.data_ptr<std::int32_t>(),
                                log_prob.data_ptr<float>(),
                                next_move_input.data_ptr<std::int32_t>(),
                                next_edge_input.data_ptr<std::int32_t>()};
  if constexpr (cuda_built())
    if (choices.is_cuda()) return cuda::sample_choice(a, current_stream());
  std::vector<float> weights(static_cast<std::size_t>(a.nodes));
  for (int row = 0; row < a.batch; ++row)
    sample_row(SerialLanes{}, cuda::sample_row_of(a, row), k, a.nodes, fixed_k, bound, weights.data());
}

}  // namespace neuopt::train
