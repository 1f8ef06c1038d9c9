#include "train/missed_exchanges.h"

#include "train/cuda/launch.h"
#include "train/device.h"
#include "train/missed_rows.h"

namespace neuopt::train {

bool finds_missed_exchanges(ProblemKind kind) { return !traits(kind).windows; }

MissedExchanges missed_exchanges(ProblemKind kind, const Rows& rows) {
  TORCH_CHECK(finds_missed_exchanges(kind) && rows.states.features.is_contiguous());
  MissedExchanges missed{torch::stack({rows.choices, rows.choices}, 1), torch::empty_like(rows.log_prob)};
  const MissedArguments a{.rows = static_cast<int>(rows.choices.size(0)),
                          .nodes = static_cast<int>(rows.states.features.size(1)),
                          .max_moves = static_cast<int>(rows.choices.size(1)),
                          .features = static_cast<int>(rows.states.features.size(2)),
                          .loads = traits(kind).demands,
                          .states = rows.states.features.data_ptr<float>(),
                          .costs = rows.states.costs.data_ptr<float>(),
                          .previous_anchor = rows.states.previous_anchor.data_ptr<std::int32_t>(),
                          .choices = missed.choices.data_ptr<std::int32_t>(),
                          .gain = missed.gain.data_ptr<float>()};
  if constexpr (cuda_built()) {
    if (rows.choices.is_cuda()) {
      cuda::missed_exchanges(a, current_stream());
      return missed;
    }
  }
  for (int row = 0; row < a.rows; ++row) write_missed(a, row, missed_by_lane(SerialLanes{}, a, row));
  return missed;
}

}  // namespace neuopt::train
