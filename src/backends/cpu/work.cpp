#include "backends/cpu/work.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <vector>

#include "backends/cpu/kernels.h"
#include "core/error.h"
#include "core/parallel.h"

namespace neuopt::backends::cpu {
namespace {

/// Processor time of this thread.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double step_operations(const policy::Architecture& a, int nodes) {
  const double n = nodes, d = a.dim, f = a.feed_forward, h = a.heads;
  const double embedding = n * (a.features() * d / 2 + d / 2 * d);
  const double query_key_value = n * d * 3 * d;
  const double scores_and_values = 2 * n * n * d;
  const double mixer = n * n * (2 * h * h + 2 * h * h);  // the positional half is a table
  const double output = n * d * d;
  const double feed_forward = 2 * n * d * f;
  const double keys = n * d * 4 * d;
  const double recurrent = a.max_moves * 2 * ((a.recurrent ? 6 * d * d : 0) + 2 * d * d) + d * d;
  double sum = a.layers * (query_key_value + scores_and_values + mixer + output + feed_forward) + keys + recurrent;
  sum += traits(a.problem).constrained ? embedding : -query_key_value;
  return 2 * sum;
}

double measured_peak(int threads, bool half) {
  const Kernels& kernels = kernels_for("");
  const auto peak = half ? kernels.peak_half : kernels.peak;
  if (peak == nullptr) throw ResourceError("this processor has no bf16 products");
  constexpr long kRounds = 2'000'000;
  double best = 0;
  for (int attempt = 0; attempt < 7; ++attempt) {
    std::vector<double> rate(static_cast<std::size_t>(threads));
    parallel_for(threads, threads, [&](int item, int) {
      const double begin = thread_seconds();
      const double operations = peak(kRounds);
      rate[static_cast<std::size_t>(item)] = operations / (thread_seconds() - begin);
    });
    best = std::max(best, std::accumulate(rate.begin(), rate.end(), 0.0));
  }
  return best;
}

}  // namespace neuopt::backends::cpu
