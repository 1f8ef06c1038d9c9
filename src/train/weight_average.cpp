#include "train/weight_average.h"

#include <algorithm>

namespace neuopt::train {

WeightAverage::WeightAverage(const Parameters& parameters, int span) : parameters_(parameters), span_(span) {
  if (kept()) weights = torch::zeros_like(parameters.actor().of(parameters.flat()));
}

void WeightAverage::restart() {
  if (!kept()) return;
  const torch::NoGradGuard no_grad;
  weights.copy_(parameters_.actor().of(parameters_.flat()));
  counts = 1;
}

void WeightAverage::take() {
  if (!kept()) return;
  const torch::NoGradGuard no_grad;
  counts += 1;
  const double share = 1.0 / static_cast<double>(std::min<std::int64_t>(counts, span_));
  weights.lerp_(parameters_.actor().of(parameters_.flat()), share);
}

}  // namespace neuopt::train
