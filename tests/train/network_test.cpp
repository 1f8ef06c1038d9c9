// The trainer's operations: gradients against differences, sampling against evaluation, the optimiser.
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <vector>

#include "backends/factory.h"
#include "core/error.h"
#include "env/prospects.h"
#include "problem/generate.h"
#include "support/random_tour.h"
#include "train/adam.h"
#include "train/device.h"
#include "train/half_ops.h"
#include "train/learner.h"
#include "train/ops_plain.h"
#include "train/products.h"

namespace neuopt::train {
namespace {

using Function = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

torch::Tensor random_double(std::vector<std::int64_t> shape) { return torch::randn(shape, torch::kFloat64); }

/// Compares the gradient of a random projection of the output with central differences, entry by entry.
void check_gradient(const Function& function, std::vector<torch::Tensor> inputs) {
  for (torch::Tensor& input : inputs) input.requires_grad_(true);
  const torch::Tensor output = function(inputs);
  const torch::Tensor probe = torch::randn_like(output);
  (output * probe).sum().backward();
  const torch::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (torch::Tensor& input : inputs) {
    torch::Tensor values = input.view(-1);
    const torch::Tensor gradient = input.grad().reshape(-1);
    for (std::int64_t i = 0; i < values.size(0); ++i) {
      values[i] += kStep;
      const double above = (function(inputs) * probe).sum().item<double>();
      values[i] -= 2 * kStep;
      const double below = (function(inputs) * probe).sum().item<double>();
      values[i] += kStep;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-6);
    }
  }
}

TEST(OpsTest, SynthesisAttentionHasTheRightGradient) {
  torch::manual_seed(1);
  const int batch = 2, nodes = 3, heads = 2, dim = 4;
  check_gradient(
      [](const std::vector<torch::Tensor>& x) {
        return plain_synthesis_attention(x[0], x[1], {x[2], x[3], x[4], x[5]});
      },
      {random_double({batch, nodes, 3 * dim}), random_double({heads, nodes, nodes}),
       random_double({2 * heads, 2 * heads}), random_double({2 * heads}), random_double({heads, 2 * heads}),
       random_double({heads})});
}

TEST(OpsTest, StreamScoresHaveTheRightGradient) {
  torch::manual_seed(2);
  for (const int weight_rows : {1, 2})
    check_gradient([](const std::vector<torch::Tensor>& x) { return plain_stream_scores(x[0], x[1], x[2]); },
                   {random_double({2, 3, 8}), random_double({2, 2, 8}), random_double({weight_rows, 4})});
}

// As decoders of more steps than the fused kernels know meet them.
TEST(OpsTest, StreamScoresTakeKeysInHalfPrecision) {
  torch::manual_seed(5);
  const torch::Tensor keys = torch::randn({2, 3, 8}).to(torch::kFloat16).requires_grad_(true);
  const torch::Tensor same = keys.detach().to(torch::kFloat32).requires_grad_(true);
  const torch::Tensor queries = torch::randn({2, 2, 8}), weights = torch::randn({1, 4});
  const torch::Tensor found = plain_stream_scores(keys, queries, weights);
  const torch::Tensor wanted = plain_stream_scores(same, queries, weights);
  EXPECT_TRUE(torch::equal(found, wanted));
  found.sum().backward();
  wanted.sum().backward();
  EXPECT_EQ(keys.grad().scalar_type(), torch::kFloat16);
  EXPECT_TRUE(torch::allclose(keys.grad().to(torch::kFloat32), same.grad(), 1e-2, 1e-2));
}

TEST(PrecisionTest, HalfIsForGpusOnly) {
  const policy::Architecture architecture = policy::paper_architecture(ProblemKind::tsp);
  const auto choose = [&](const char* name) { return choose_precision(name, torch::kCPU, architecture, 20); };
  EXPECT_EQ(choose("auto"), Precision::fp32);
  EXPECT_EQ(choose("tf32"), Precision::tf32);
  EXPECT_THROW(choose("fp16"), InputError);
  EXPECT_THROW(choose("half"), InputError);
}

TEST(PrecisionTest, LossScaleIsAPowerOfTwoOfAtLeast16ForEachRow) {
  EXPECT_EQ(half_loss_scale(1), 16);
  EXPECT_EQ(half_loss_scale(2048), 16 * 2048);
  EXPECT_EQ(half_loss_scale(2049), 16 * 4096);
}

TEST(OpsTest, InstanceNormHasUnbiasedVarianceAndTheRightGradient) {
  torch::manual_seed(3);
  const torch::Tensor x = random_double({2, 3, 4});
  const torch::Tensor flat = x.view({2, 12});
  const torch::Tensor expected =
      (flat - flat.mean(1, true)) / torch::sqrt(flat.var(1, /*unbiased=*/true, /*keepdim=*/true) + 1e-5);
  EXPECT_TRUE(torch::allclose(plain_instance_norm(x).view({2, 12}), expected, 1e-12, 1e-12));
  check_gradient([](const std::vector<torch::Tensor>& in) { return plain_instance_norm(in[0]); }, {x.clone()});
}

TEST(OpsTest, SelectRowsAddsTheGradientsOfRepeatedRows) {
  torch::manual_seed(4);
  const torch::Tensor index = torch::tensor({{0, 2, 0, 0}, {1, 1, 2, 0}}, torch::kInt64);
  check_gradient([&](const std::vector<torch::Tensor>& x) { return select_rows(x[0], index); },
                 {random_double({2, 3, 2})});
}

policy::Architecture small_architecture(ProblemKind problem) {
  policy::Architecture a = policy::paper_architecture(problem);
  a.dim = a.feed_forward = 16;
  a.layers = 1;
  return a;
}

EnvironmentOptions small_options(const policy::Architecture& architecture, torch::Device device) {
  EnvironmentOptions options;
  options.kind = architecture.problem;
  options.customers = 9;
  options.depots = architecture.problem == ProblemKind::cvrp ? 4 : 0;
  options.capacity = 20;
  options.epsilon = 0.3f;
  options.max_moves = architecture.max_moves;
  options.batch = 16;
  options.device = device;
  return options;
}

/// The probability under which an action was drawn is the one that evaluating it gives.
void check_sampling(const policy::Architecture& architecture, torch::Device device = torch::kCPU) {
  Parameters parameters(architecture, device);
  parameters.initialize(7);
  const EnvironmentOptions options = small_options(architecture, device);
  BatchEnvironment environment(options);
  environment.generate(3, 0);
  const PolicyNetwork policy(parameters, options.nodes(), Precision::fp32);
  const torch::NoGradGuard no_grad;
  const PreparedPolicy prepared = policy.prepare();
  Observation state = environment.empty_observation(options.batch);
  const torch::Tensor choices =
      torch::zeros({options.batch, options.max_moves}, torch::dtype(torch::kInt32).device(device));
  const torch::Tensor log_prob = torch::zeros({options.batch}, device),
                      rewards = torch::zeros({options.batch, 3}, device);
  const SampleKey key{5, Stream::searches, torch::zeros({2}, torch::dtype(torch::kInt64).device(device))};
  for (int step = 0; step < 4; ++step) {
    environment.observe(state);
    policy.sample(prepared, state, key, choices, log_prob);
    const DecodePlan plan = policy.plan(state, choices);
    const Evaluation evaluation =
        policy.evaluate(prepared, policy.encode(prepared, state.features), plan, state.exploration, choices);
    EXPECT_TRUE(torch::allclose(log_prob, evaluation.log_prob, 1e-4, 1e-4)) << log_prob << evaluation.log_prob;
    environment.step(choices, torch::zeros({}, device), rewards);
    key.counters[1] += 1;
    if (architecture.masking) {  // the flags of exceeded capacity
      environment.observe(state);
      EXPECT_EQ(state.features.narrow(2, 6, 2).sum().item<float>(), 0);
    }
  }
}

policy::Architecture masked_architecture() {
  policy::Architecture masked = small_architecture(ProblemKind::cvrp);
  masked.max_moves = 2;
  masked.masking = true;
  return masked;
}

/// States with actions drawn in them by a random policy.
struct Drawn {
  Parameters parameters;
  EnvironmentOptions options;
  BatchEnvironment environment;
  PolicyNetwork policy;
  Observation state;
  torch::Tensor choices;

  explicit Drawn(const policy::Architecture& architecture)
      : parameters(architecture, torch::kCPU),
        options(small_options(architecture, torch::kCPU)),
        environment(options),
        policy(parameters, options.nodes(), Precision::fp32),
        choices(torch::zeros({options.batch, options.max_moves}, torch::kInt32)) {
    parameters.initialize(7);
    environment.generate(3, 0);
    state = environment.empty_observation(options.batch);
    environment.observe(state);
    const torch::NoGradGuard no_grad;
    policy.sample(policy.prepare(), state, {5, Stream::searches, torch::zeros({2}, torch::kInt64)}, choices,
                  torch::zeros({options.batch}));
  }

  torch::Tensor log_probabilities() const {
    const PreparedPolicy prepared = policy.prepare();
    return policy
        .evaluate(prepared, policy.encode(prepared, state.features), policy.plan(state, choices), state.exploration,
                  choices)
        .log_prob;
  }
};

policy::Architecture told_architecture(ProblemKind problem, int foresight = 3) {
  policy::Architecture told = small_architecture(problem);
  told.prospects = true;
  told.foresight = foresight;
  return told;
}

TEST(PolicyNetworkTest, SampledProbabilitiesAreTheEvaluatedOnes) {
  for (const ProblemKind problem : kProblemKinds) {
    const policy::Architecture full = small_architecture(problem);
    check_sampling(full);
    bool policy::Architecture::*const switches[] = {
        &policy::Architecture::recurrent, &policy::Architecture::move_stream, &policy::Architecture::edge_stream,
        &policy::Architecture::random_start_move, &policy::Architecture::fixed_k};
    for (const auto member : switches) {
      policy::Architecture ablated = full;
      ablated.*member = !(ablated.*member);
      check_sampling(ablated);
    }
    policy::Architecture surer = full;
    surer.logit_bound = 9;
    check_sampling(surer);
    if (!env::knows_prospects(problem)) continue;
    for (const int foresight : {2, 3}) check_sampling(told_architecture(problem, foresight));
  }
  check_sampling(masked_architecture());
}

// What the trainer knows of a state leads to the same probabilities as in the solver, which numbers nodes as it likes.
TEST(PolicyNetworkTest, ToldNetworksAgreeWithTheReference) {
  test::Draws draws(9);
  for (const ProblemKind problem : {ProblemKind::tsp, ProblemKind::cvrp}) {
    const policy::Architecture architecture = told_architecture(problem);
    Drawn drawn(architecture);
    drawn.state.costs.select(1, 1).sub_(0.03);  // as if the best tour were better
    const torch::NoGradGuard no_grad;
    const torch::Tensor expected = drawn.log_probabilities();
    policy::Model model;
    model.architecture = architecture;
    model.weights = drawn.parameters.actor_weights();
    const int nodes = drawn.options.nodes();
    const std::vector<int> order = test::random_tour(nodes, draws).order;
    const torch::Tensor position_of_node = torch::argsort(torch::tensor(order));
    const auto reference = backends::make_backend("reference", 1);
    for (int row = 0; row < drawn.options.batch; ++row) {
      std::vector<int> choices;  // as nodes
      for (int k = 0; k < architecture.max_moves; ++k) choices.push_back(order[drawn.choices[row][k].item<int>()]);
      const torch::Tensor features = drawn.state.features[row].index_select(0, position_of_node);
      const policy::NetworkInput input{
          .nodes = nodes,
          .depots = drawn.options.depots,
          .features = {features.data_ptr<float>(), static_cast<std::size_t>(features.numel())},
          .order = order,
          .exploration = {drawn.state.exploration[row].data_ptr<float>(), 9},
          .previous_anchor = -1,
          .choices = choices,
          .above_best = 0.03f};
      EXPECT_NEAR(reference->evaluate(model, {&input, 1})[0].log_prob, expected[row].item<double>(), 1e-4) << row;
    }
  }
}

TEST(PolicyNetworkTest, WeightsOfProspectsLearnByTheDifferenceTheyMake) {
  for (const ProblemKind problem : {ProblemKind::tsp, ProblemKind::cvrp}) {
    Drawn drawn(told_architecture(problem));
    torch::Tensor table = drawn.parameters.prospect_table();
    drawn.log_probabilities().sum().backward();
    const torch::Tensor gradient = table.grad().clone();
    EXPECT_GT(gradient.abs().sum().item<double>(), 0);
    constexpr double kStep = 4e-4;
    const torch::NoGradGuard no_grad;
    for (const auto& [row, feature] : {std::pair{0, 0}, {0, 6}, {1, 1}, {1, 5}, {2, 8}, {2, 3}, {3, 14}}) {
      const auto moved_to = [&](double step) {
        table[row][feature] += step;
        return drawn.log_probabilities().to(torch::kFloat64).sum().item<double>();
      };
      const double above = moved_to(kStep), below = moved_to(-2 * kStep);
      moved_to(kStep);
      const double expected = (above - below) / (2 * kStep), found = gradient[row][feature].item<double>();
      EXPECT_NEAR(found, expected, 0.02 + 0.02 * std::abs(expected)) << row << ", " << feature;
    }
  }
}

TEST(PolicyNetworkTest, SampledProbabilitiesAreTheEvaluatedOnesOnAGpu) {
  const torch::Device device = parse_device("auto");
  if (!device.is_cuda()) GTEST_SKIP() << "no cuda here";
  check_sampling(small_architecture(ProblemKind::cvrp), device);
  check_sampling(masked_architecture(), device);
  for (const ProblemKind problem : {ProblemKind::tsp, ProblemKind::cvrp})
    for (const int foresight : {2, 3}) check_sampling(told_architecture(problem, foresight), device);
}

/// Node 0 of a TSP is at position 0 of the standard start.
std::vector<float> first_node(BatchEnvironment& environment, std::uint64_t first_instance) {
  environment.generate(7, first_instance);
  Observation state = environment.empty_observation(environment.options().batch);
  environment.observe(state);
  return {state.features[0][0][0].item<float>(), state.features[0][0][1].item<float>()};
}

TEST(BatchEnvironmentTest, TrainingNeverSeesGeneratedInstances) {
  EnvironmentOptions options;
  options.batch = 1;
  options.threads = 1;
  BatchEnvironment environment(options);
  const std::uint64_t training = static_cast<std::uint64_t>(TrainConfig{}.instance_series()) << 32;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Instance instance = generate_uniform(ProblemKind::tsp, options.customers, 7, i);
    const std::vector<float> generated{static_cast<float>(instance.coordinates[0].x),
                                       static_cast<float>(instance.coordinates[0].y)};
    EXPECT_EQ(first_node(environment, i), generated);
    EXPECT_NE(first_node(environment, training + i), generated);
  }
}

TEST(AdamTest, AgreesWithTheLibraryBelowTheClip) {
  torch::manual_seed(5);
  Parameters parameters(small_architecture(ProblemKind::tsp), torch::kCPU);
  parameters.initialize(1);
  Adam adam(parameters, AdamOptions{});
  adam.set_learning_rates(1e-3, 1e-3);
  torch::Tensor copy = parameters.flat().clone().requires_grad_(true);
  torch::optim::Adam library({copy}, torch::optim::AdamOptions(1e-3));
  for (int step = 0; step < 5; ++step) {
    const torch::Tensor gradient = 1e-4 * torch::randn_like(parameters.flat());
    parameters.grad().copy_(gradient);
    adam.step(torch::zeros({}));
    copy.mutable_grad() = gradient.clone();
    library.step();
  }
  EXPECT_TRUE(torch::allclose(parameters.flat(), copy.detach(), 1e-5, 1e-7));
}

TEST(AdamTest, NonFiniteGradientsAreSkippedAndCounted) {
  Parameters parameters(small_architecture(ProblemKind::tsp), torch::kCPU);
  parameters.initialize(1);
  Adam adam(parameters, AdamOptions{});
  adam.set_learning_rates(1e-3, 1e-3);
  parameters.grad().fill_(1e-4);
  adam.step(torch::zeros({}));
  const torch::Tensor before = parameters.flat().clone(), moment = adam.second_moment.clone();
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY)}) {
    parameters.grad()[3] = bad;
    adam.step(torch::zeros({}));
  }
  parameters.grad().fill_(1e-4);
  adam.step(torch::full({}, std::nan("")));  // the loss alone is not finite
  EXPECT_TRUE(torch::equal(parameters.flat(), before));
  EXPECT_TRUE(torch::equal(adam.second_moment, moment));
  EXPECT_EQ(adam.skipped.item<double>(), 3);
  EXPECT_EQ(adam.skipped_in_a_row.item<double>(), 3);
  adam.step(torch::zeros({}));
  EXPECT_EQ(adam.steps.item<double>(), 2);
  EXPECT_EQ(adam.skipped_in_a_row.item<double>(), 0);
  EXPECT_FALSE(torch::equal(parameters.flat(), before));
}

}  // namespace
}  // namespace neuopt::train
