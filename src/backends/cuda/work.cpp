#include "backends/cuda/work.h"

namespace neuopt::backends::cuda {
namespace {

/// Single precision goes through memory between the operations: what each of them reads and writes, in values.
double single_encoder_values(double n, double d, double h, double ff) {
  const double projections = n * (d + 3 * d);
  const double attention = 2 * n * 2 * d + h * n * n * (1 + 1) + n * 2 * d;  // Q K^T and its use with V
  const double mixing = h * n * n * 6;                                       // three passes that read and write
  const double output = n * 3 * d + n * 2 * d;                               // projection, residual, norm
  const double feed_forward = n * (d + 4 * ff + 2 * d) + n * 2 * d;
  return projections + attention + mixing + output + feed_forward;
}

Work encoder_work(const policy::Architecture& a, double n, bool half) {
  const double d = a.dim, h = a.heads, ff = a.feed_forward, features = a.features();
  const double embedding = 2 * n * (features * d / 2 + d / 2 * d);
  const double mixer = 2 * n * n * (2 * h * 2 * h + 2 * h * h);
  const double layer = 2 * n * d * 4 * d + 2 * 2 * n * n * d + mixer + 2 * 2 * n * d * ff;
  const double keys = 2 * n * d * 4 * d;
  const double ends = 4 * n * features + (half ? 2 : 4) * n * 5 * d + 4 * d;  // features in; embeddings, keys, mean out
  const double between = half ? 0 : 4 * a.layers * single_encoder_values(n, d, h, ff);
  return {embedding + a.layers * layer + keys, ends + between};
}

}  // namespace

StepWork step_work(const policy::Architecture& a, int nodes, bool half) {
  const double n = nodes, d = a.dim, moves = a.max_moves, value = half ? 2 : 4;
  StepWork work;
  work.encoder = encoder_work(a, n, half);
  // Both streams: gates of input and state, queries; once the initial state.
  work.streams = Work{2 * 2 * (2 * d * 3 * d + d * 2 * d), 2 * value * d + 2 * 2 * 4 * d + 4 * 4 * d} * moves +
                 Work{2 * d * d, 4 * d};
  work.scores = Work{5 * n * 2 * d, value * n * 4 * d + 4 * 4 * d + 4 * n} * moves;
  const Work choice{4 * n, 2 * (4 * n + 4 * n)};  // scores and positions, twice
  work.choice = choice * (moves - 1);
  const double loads = traits(a.problem).constrained ? 4 * 5 * n : 0;
  work.last_choice = choice + Work{8 * n, 4 * 6 * n + 4 * 2 * n + 4 * n * a.features() + loads};
  return work;
}

}  // namespace neuopt::backends::cuda
