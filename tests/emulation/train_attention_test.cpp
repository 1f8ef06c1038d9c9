// The trainer's attention kernels against the definition in double precision.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "train/cuda/attention_long.cuh"

namespace neuopt::train::cuda::attention {
namespace {

using Numbers = std::vector<double>;

/// Normal numbers that half precision holds exactly.
Numbers half_numbers(std::size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Numbers numbers(count);
  for (double& x : numbers) x = __half2float(__float2half(static_cast<float>(scale) * normal(random)));
  return numbers;
}

std::vector<__half> halves(const Numbers& numbers) {
  std::vector<__half> result;
  for (double x : numbers) result.push_back(__float2half(static_cast<float>(x)));
  return result;
}

std::vector<float> floats(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

struct Case {
  int batch, nodes;
  bool mixed;
  double scale = 0.2;
  Numbers joint, positions, weight1, bias1, weight2, bias2, result_gradient;

  Case(int batch_size, int node_count, bool is_mixed) : batch(batch_size), nodes(node_count), mixed(is_mixed) {
    const std::size_t rows = static_cast<std::size_t>(batch * nodes);
    joint = half_numbers(rows * 3 * kDim, 0.5, 1);
    positions = half_numbers(static_cast<std::size_t>(nodes * nodes * kHeads), 1, 2);
    weight1 = half_numbers(64, 0.4, 3);
    bias1 = half_numbers(8, 0.2, 4);
    weight2 = half_numbers(32, 0.4, 5);
    bias2 = half_numbers(4, 0.2, 6);
    result_gradient = half_numbers(rows * kDim, 0.5, 7);
  }
  double at(int b, int node, int part, int head, int channel) const {
    return joint[static_cast<std::size_t>(((b * nodes + node) * 3 + part) * kDim + head * kHeadDim + channel)];
  }
};

struct Answer {
  Numbers result, log_sums, joint_gradient, position_gradient, mixer_gradient;
};

/// A query with one key.
struct Pair {
  double input[8], hidden[8], mixed[4], gradient[4];  // mixed scores become probabilities
};

/// The definition, one query at a time.
class Definition {
 public:
  explicit Definition(const Case& given) : c(given) {
    const std::size_t rows = static_cast<std::size_t>(c.batch * c.nodes);
    a = {Numbers(rows * kDim), Numbers(rows * kHeads), Numbers(rows * 3 * kDim), Numbers(c.positions.size()),
         Numbers(kMixerParameters)};
    for (b = 0; b < c.batch; ++b)
      for (i = 0; i < c.nodes; ++i) {
        std::vector<Pair> pairs(static_cast<std::size_t>(c.nodes));
        for (int j = 0; j < c.nodes; ++j) score(j, pairs[static_cast<std::size_t>(j)]);
        for (int h = 0; h < 4; ++h) attend(h, pairs);
        for (int j = 0; j < c.nodes; ++j) go_back(j, pairs[static_cast<std::size_t>(j)]);
      }
  }

  const Answer& answer() const { return a; }

 private:
  std::size_t row_of(int node) const { return static_cast<std::size_t>(b * c.nodes + node); }

  void score(int j, Pair& p) const {
    for (int h = 0; h < 4; ++h) {
      p.input[h] = 0;
      for (int d = 0; d < kHeadDim; ++d) p.input[h] += c.at(b, i, 0, h, d) * c.at(b, j, 1, h, d);
      // As the mixer takes it: a hidden unit near zero must be on the same side.
      if (c.mixed) p.input[h] = __half2float(__float2half(static_cast<float>(p.input[h])));
      p.input[4 + h] = c.positions[static_cast<std::size_t>((i * c.nodes + j) * 4 + h)];
      p.mixed[h] = c.mixed ? c.bias2[static_cast<std::size_t>(h)] : c.scale * p.input[h];
    }
    for (std::size_t u = 0; u < 8 && c.mixed; ++u) {
      p.hidden[u] = c.bias1[u];
      for (std::size_t x = 0; x < 8; ++x) p.hidden[u] += c.weight1[u * 8 + x] * p.input[x];
      for (std::size_t h = 0; h < 4; ++h) p.mixed[h] += c.weight2[h * 8 + u] * std::max(p.hidden[u], 0.0);
    }
  }

  /// Probabilities, result, and the gradients of values and mixed scores.
  void attend(int h, std::vector<Pair>& pairs) {
    double sum = 0, dot = 0;
    for (const Pair& p : pairs) sum += std::exp(p.mixed[h]);
    a.log_sums[row_of(i) * 4 + static_cast<std::size_t>(h)] = std::log(sum);
    for (int j = 0; j < c.nodes; ++j) {
      Pair& p = pairs[static_cast<std::size_t>(j)];
      p.mixed[h] = std::exp(p.mixed[h]) / sum;
      p.gradient[h] = 0;
      for (int d = 0; d < kHeadDim; ++d) {
        const std::size_t at = row_of(i) * kDim + static_cast<std::size_t>(h * kHeadDim + d);
        a.result[at] += p.mixed[h] * c.at(b, j, 2, h, d);
        p.gradient[h] += c.result_gradient[at] * c.at(b, j, 2, h, d);
        a.joint_gradient[row_of(j) * 3 * kDim + static_cast<std::size_t>(2 * kDim + h * kHeadDim + d)] +=
            p.mixed[h] * c.result_gradient[at];
      }
      dot += p.mixed[h] * p.gradient[h];
    }
    for (Pair& p : pairs) p.gradient[h] = p.mixed[h] * (p.gradient[h] - dot);
  }

  /// From the gradients of mixed scores to those of queries, keys, positional scores and the mixer.
  void go_back(int j, const Pair& p) {
    double input_gradient[8] = {};
    for (int h = 0; h < 4 && !c.mixed; ++h) input_gradient[h] = c.scale * p.gradient[h];
    for (std::size_t u = 0; u < 8 && c.mixed; ++u) {
      double g = 0;
      for (std::size_t h = 0; h < 4; ++h) {
        g += c.weight2[h * 8 + u] * p.gradient[h];
        a.mixer_gradient[kMixerWeight2At + h * 8 + u] += p.gradient[h] * std::max(p.hidden[u], 0.0);
      }
      if (p.hidden[u] <= 0) continue;
      a.mixer_gradient[kMixerBias1At + u] += g;
      for (std::size_t x = 0; x < 8; ++x) {
        a.mixer_gradient[u * 8 + x] += g * p.input[x];
        input_gradient[x] += g * c.weight1[u * 8 + x];
      }
    }
    for (int h = 0; h < 4; ++h) {
      a.position_gradient[static_cast<std::size_t>((i * c.nodes + j) * 4 + h)] += input_gradient[4 + h];
      for (int d = 0; d < kHeadDim; ++d) {
        const auto column = static_cast<std::size_t>(h * kHeadDim + d);
        a.joint_gradient[row_of(i) * 3 * kDim + column] += input_gradient[h] * c.at(b, j, 1, h, d);
        a.joint_gradient[row_of(j) * 3 * kDim + kDim + column] += input_gradient[h] * c.at(b, i, 0, h, d);
      }
    }
  }

  const Case& c;
  Answer a;
  int b = 0, i = 0;  // the instance and query in work
};

Answer define(const Case& c) { return Definition(c).answer(); }

Numbers sum_slots(const std::vector<float>& partial, std::size_t size) {
  Numbers sum(size);
  for (std::size_t i = 0; i < partial.size(); ++i) sum[i % size] += partial[i];
  return sum;
}

Numbers widened(const std::vector<__half>& numbers) {
  Numbers result;
  for (__half x : numbers) result.push_back(__half2float(x));
  return result;
}

template <bool kMixed>
void run_forward(const AttentionInput& input, __half* result, float* log_sums) {
  void* shared = emulation::shared_memory();
  input.nodes > kRows
      ? forward_block<kMixed>(input, *input.mixer, *static_cast<LongForwardShared*>(shared), result, log_sums)
      : forward_block<kMixed>(input, *input.mixer, *static_cast<ForwardShared*>(shared), result, log_sums);
}

template <bool kMixed>
void run_backward(const AttentionInput& input, const AttentionGradient& gradient) {
  void* shared = emulation::shared_memory();
  input.nodes > kRows ? backward_block<kMixed>(input, *input.mixer, gradient, *static_cast<LongBackwardShared*>(shared))
                      : backward_block<kMixed>(input, *input.mixer, gradient, *static_cast<BackwardShared*>(shared));
}

/// The kernels, run with `blocks` blocks in the backward pass.
Answer emulate(const Case& c, unsigned blocks, unsigned schedule = 0) {
  const std::size_t rows = static_cast<std::size_t>(c.batch * c.nodes), nodes = static_cast<std::size_t>(c.nodes);
  const auto joint = halves(c.joint), result_gradient = halves(c.result_gradient);
  const std::size_t row = static_cast<std::size_t>(position_row(c.nodes));
  std::vector<__half> positions(nodes * row * 4, __float2half(0));
  for (std::size_t i = 0; i < c.positions.size(); ++i)
    positions[(i / (4 * nodes)) * row * 4 + i % (4 * nodes)] = __float2half(static_cast<float>(c.positions[i]));
  const auto weight1 = floats(c.weight1), bias1 = floats(c.bias1), weight2 = floats(c.weight2), bias2 = floats(c.bias2);
  const MixerPointers mixer{weight1.data(), bias1.data(), weight2.data(), bias2.data()};
  const AttentionInput input{c.batch, c.nodes, joint.data(), &mixer, positions.data(), static_cast<float>(c.scale)};
  std::vector<__half> result(rows * kDim), joint_gradient(rows * 3 * kDim);
  std::vector<float> log_sums(rows * 4);
  const int slots = std::max(slots_of_block(c.nodes), 1);
  const unsigned groups = static_cast<unsigned>((c.batch + slots - 1) / slots);
  emulation::run(
      dim3(groups), kWarps * 32, c.nodes > kRows ? sizeof(LongForwardShared) : sizeof(ForwardShared),
      [&] {
        c.mixed ? run_forward<true>(input, result.data(), log_sums.data())
                : run_forward<false>(input, result.data(), log_sums.data());
      },
      schedule);
  std::vector<float> position_partial(blocks * static_cast<std::size_t>(slots) * nodes * nodes * 4);
  std::vector<float> mixer_partial(blocks * static_cast<std::size_t>(kMixerParameters));
  std::vector<float> carried(blocks * static_cast<std::size_t>(carried_by_block(c.nodes)));
  const AttentionGradient gradient{result.data(),         log_sums.data(),         result_gradient.data(),
                                   joint_gradient.data(), position_partial.data(), mixer_partial.data(),
                                   carried.data()};
  emulation::run(
      dim3(blocks), kWarps * 32, c.nodes > kRows ? sizeof(LongBackwardShared) : sizeof(BackwardShared),
      [&] { c.mixed ? run_backward<true>(input, gradient) : run_backward<false>(input, gradient); }, schedule);
  return {widened(result),
          {log_sums.begin(), log_sums.end()},
          widened(joint_gradient),
          sum_slots(position_partial, nodes * nodes * 4),
          sum_slots(mixer_partial, kMixerParameters)};
}

/// The norm of the difference relative to the norm.
double error(const Numbers& found, const Numbers& wanted) {
  double difference = 0, norm = 1e-30;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    difference += (found[i] - wanted[i]) * (found[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return std::sqrt(difference / norm);
}

class TrainAttention : public testing::TestWithParam<std::tuple<int, int, bool, unsigned>> {};

TEST_P(TrainAttention, AgreesWithItsDefinition) {
  const auto [batch, nodes, mixed, blocks] = GetParam();
  const Case c(batch, nodes, mixed);
  const Answer wanted = define(c), found = emulate(c, blocks);
  EXPECT_LT(error(found.result, wanted.result), 2e-3);
  EXPECT_LT(error(found.log_sums, wanted.log_sums), 2e-3);
  EXPECT_LT(error(found.joint_gradient, wanted.joint_gradient), 4e-3);
  if (!mixed) return;
  EXPECT_LT(error(found.position_gradient, wanted.position_gradient), 4e-3);
  EXPECT_LT(error(found.mixer_gradient, wanted.mixer_gradient), 4e-3);
}

// Several instances to a block, more groups than blocks, a last group that is not full; one instance to a block; the
// fewest and the most rows, and one more than whole tiles have.
INSTANTIATE_TEST_SUITE_P(Sizes, TrainAttention,
                         testing::Values(std::tuple(5, 20, true, 1u), std::tuple(9, 20, true, 2u),
                                         std::tuple(2, 37, true, 1u), std::tuple(1, 100, true, 1u),
                                         std::tuple(9, 4, true, 1u), std::tuple(3, 65, true, 2u),
                                         std::tuple(1, 128, true, 1u), std::tuple(5, 20, false, 1u),
                                         std::tuple(1, 128, false, 1u)));

// One row more than 128, the sizes of TSP-200 and CVRP-200, one row more than whole tiles have, and the most; more
// instances than blocks; an even and an odd number of tiles of keys.
INSTANTIATE_TEST_SUITE_P(LongInstances, TrainAttention,
                         testing::Values(std::tuple(1, 129, true, 1u), std::tuple(2, 150, true, 1u),
                                         std::tuple(1, 200, true, 1u), std::tuple(2, 230, true, 2u),
                                         std::tuple(1, 241, true, 1u), std::tuple(1, 256, true, 1u),
                                         std::tuple(3, 150, false, 2u), std::tuple(1, 256, false, 1u)));

// A result that depends on which warp is ahead would mean that a barrier is missing.
void expect_no_bit_to_change(const Case& c) {
  const Answer in_turn = emulate(c, 1), shuffled = emulate(c, 1, 7);
  EXPECT_EQ(in_turn.result, shuffled.result);
  EXPECT_EQ(in_turn.log_sums, shuffled.log_sums);
  EXPECT_EQ(in_turn.joint_gradient, shuffled.joint_gradient);
  EXPECT_EQ(in_turn.position_gradient, shuffled.position_gradient);
  EXPECT_EQ(in_turn.mixer_gradient, shuffled.mixer_gradient);
}

TEST(TrainAttentionSchedule, ChangesNoBit) { expect_no_bit_to_change(Case(3, 37, true)); }  // two groups for one block
TEST(TrainAttentionSchedule, ChangesNoBitOfLongInstances) { expect_no_bit_to_change(Case(1, 150, true)); }

}  // namespace
}  // namespace neuopt::train::cuda::attention
