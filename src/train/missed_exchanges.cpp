#include "train/missed_exchanges.h"

#include "core/parallel.h"
#include "train/cuda/launch.h"
#include "train/device.h"
#include "train/missed_rows.h"

namespace neuopt::train {

MissedExchanges missed_exchanges(ProblemKind kind, const Observation& states, const torch::Tensor& choices,
                                 int threads) {
  TORCH_CHECK(env::knows_prospects(kind) && states.features.is_contiguous());
  MissedExchanges missed{torch::stack({choices, choices}, 1),
                         torch::empty({choices.size(0)}, states.features.options())};
  const MissedArguments a{.rows = static_cast<int>(choices.size(0)),
                          .nodes = static_cast<int>(states.features.size(1)),
                          .max_moves = static_cast<int>(choices.size(1)),
                          .features = static_cast<int>(states.features.size(2)),
                          .loads = traits(kind).demands,
                          .states = states.features.data_ptr<float>(),
                          .costs = states.costs.data_ptr<float>(),
                          .previous_anchor = states.previous_anchor.data_ptr<std::int32_t>(),
                          .choices = missed.choices.data_ptr<std::int32_t>(),
                          .gain = missed.gain.data_ptr<float>()};
  if constexpr (cuda_built()) {
    if (choices.is_cuda()) {
      cuda::missed_exchanges(a, current_stream());
      return missed;
    }
  }
  parallel_for(a.rows, resolve_threads(threads),
               [&](int row, int) { write_missed(a, row, missed_by_lane(SerialLanes{}, a, row)); });
  return missed;
}

}  // namespace neuopt::train
