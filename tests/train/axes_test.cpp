// The optimiser's own axes (src/train/gradient_axes.h).
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "train/adam.h"

namespace neuopt::train {
namespace {

policy::Architecture small_network() {
  policy::Architecture architecture;
  architecture.problem = ProblemKind::cvrp;
  architecture.dim = 16;
  architecture.heads = 4;
  architecture.layers = 1;
  architecture.feed_forward = 16;
  return architecture;
}

class AxesTest : public ::testing::Test {
 protected:
  AxesTest() : parameters_(small_network(), torch::kCPU, false), axes_(parameters_) { torch::manual_seed(7); }

  torch::Tensor gradient_like() const { return torch::randn_like(parameters_.flat()); }
  void see_gradients() {
    for (int i = 0; i < 4; ++i) axes_.observe(gradient_like(), torch::tensor(0.3f));
  }
  /// Axes that were turned to those of some gradients.
  void turn() {
    torch::Tensor first = gradient_like(), second = torch::ones_like(first);
    see_gradients();
    axes_.renew(first, second, alone_);
  }

  Parameters parameters_;
  GradientAxes axes_;
  Team alone_;
};

TEST_F(AxesTest, BeginAsThoseOfTheWeights) {
  const torch::Tensor values = gradient_like();
  EXPECT_TRUE(torch::equal(axes_.turned(values), values));
  EXPECT_TRUE(torch::equal(axes_.turned_back(values), values));
}

TEST_F(AxesTest, TurningKeepsLengthsAndComesBack) {
  turn();
  const torch::Tensor values = gradient_like(), turned = axes_.turned(values);
  EXPECT_FALSE(torch::allclose(turned, values, 0.1, 0.1));
  EXPECT_NEAR(turned.norm().item<double>(), values.norm().item<double>(), 1e-4);
  EXPECT_TRUE(torch::allclose(axes_.turned_back(turned), values, 1e-4, 1e-5));
}

TEST_F(AxesTest, MatricesAreTurnedAndTheRestIsNot) {
  turn();
  const torch::NoGradGuard no_grad;
  const torch::Tensor values = gradient_like();
  parameters_.flat().copy_((axes_.turned(values) - values).abs().gt(1e-6));
  const auto share_of_changed = [&](const std::string& name) {
    return parameters_["actor." + name].mean().item<double>();
  };
  for (const char* name : {"decoder.linear_K1.weight", "decoder.rnn1.weight_hh", "pos_encoder.W_key",
                           "encoder.0.MHA_sublayer.MHA.W_out", "encoder.0.MHA_sublayer.MHA.W_val"})
    EXPECT_GT(share_of_changed(name), 0.99) << name;
  for (const char* name : {"decoder.rnn1.bias_hh", "embedder.embedder.0.weight", "decoder.init_query_learnable"})
    EXPECT_EQ(share_of_changed(name), 0) << name;
}

// Sums of two outer products u v^T, each with a size of its own: along their own axes they have two elements.
TEST_F(AxesTest, AreTheDirectionsOfTheGradients) {
  const std::string name = "actor.decoder.linear_K1.weight";
  const torch::Tensor u = std::get<0>(torch::linalg_qr(torch::randn({16, 2})));
  const torch::Tensor v = std::get<0>(torch::linalg_qr(torch::randn({16, 2})));
  const auto gradient = [&] {
    parameters_.zero_gradients();
    parameters_.gradient(name).copy_(
        u.matmul(torch::diag(torch::randn({2}) * torch::tensor({1.0f, 5.0f}))).matmul(v.t()));
    return parameters_.grad().clone();
  };
  torch::Tensor first = torch::zeros_like(parameters_.flat()), second = torch::zeros_like(first);
  for (int i = 0; i < 50; ++i) axes_.observe(gradient(), torch::tensor(0.1f));
  axes_.renew(first, second, alone_);
  const torch::Tensor straight = gradient(), turned = axes_.turned(straight);
  EXPECT_GT(straight.abs().gt(1e-3).sum().item<int>(), 200);
  EXPECT_LE(turned.abs().gt(1e-3).sum().item<int>(), 2);
}

/// The second member of two; the numbers of the first one come in the order in which they are asked for.
class SecondOfTwo : public Team {
 public:
  explicit SecondOfTwo(std::vector<torch::Tensor> of_first) : of_first_(std::move(of_first)) {}
  int rank() const override { return 1; }
  int size() const override { return 2; }
  void average(torch::Tensor& numbers) override { numbers.add_(of_first_.at(asked_++) * 2).div_(2); }

 private:
  std::vector<torch::Tensor> of_first_;
  std::size_t asked_ = 0;
};

TEST_F(AxesTest, ATeamHasThoseOfItsFirstMember) {
  torch::Tensor first = gradient_like(), second = torch::ones_like(first);
  see_gradients();
  GradientAxes leader = axes_;
  leader.left_axes = axes_.left_axes.clone();
  leader.right_axes = axes_.right_axes.clone();
  leader.renew(first.clone(), second.clone(), alone_);
  SecondOfTwo team({-leader.left_axes, leader.right_axes});
  axes_.renew(first, second, team);
  EXPECT_TRUE(torch::equal(axes_.left_axes, -leader.left_axes));
  EXPECT_TRUE(torch::equal(axes_.right_axes, leader.right_axes));
}

TEST_F(AxesTest, MomentsTurnWithThem) {
  torch::Tensor first = gradient_like();
  const torch::Tensor straight = first.clone();
  torch::Tensor unit = torch::zeros_like(first);  // one weight alone scatters
  {
    const torch::NoGradGuard no_grad;
    parameters_.flat().zero_();
    parameters_["actor.decoder.linear_K1.weight"].detach()[3][5] = 1;
    unit.copy_(parameters_.flat());
  }
  torch::Tensor second = unit * 0.25;
  see_gradients();
  axes_.renew(first, second, alone_);
  EXPECT_TRUE(torch::allclose(first, axes_.turned(straight), 1e-4, 1e-5));
  EXPECT_TRUE(torch::allclose(second, 0.25 * axes_.turned(unit).square(), 1e-4, 1e-7));
  axes_.straighten(first, second);
  EXPECT_TRUE(torch::allclose(first, straight, 1e-4, 1e-5));
  EXPECT_NEAR(second.sum().item<double>(), 0.25, 1e-5);
  EXPECT_TRUE(torch::equal(axes_.turned(straight), straight));
}

// The second layer has d rows of 2 d: two matrices side by side.
TEST(WideAxes, MatricesSideBySideAreTurnedEachByItself) {
  torch::manual_seed(3);
  policy::Architecture wide = small_network();
  wide.feed_forward = 32;
  Parameters parameters(wide, torch::kCPU, false);
  GradientAxes axes(parameters);
  Team alone;
  const std::string name = "actor.encoder.0.FFandNorm_sublayer.FF.2.weight";
  ASSERT_EQ(parameters[name].sizes(), (std::vector<std::int64_t>{16, 32}));
  parameters.gradient(name).narrow(1, 16, 16).copy_(torch::outer(torch::randn({16}), torch::randn({16})));
  torch::Tensor first = torch::zeros_like(parameters.flat()), second = torch::zeros_like(first);
  axes.observe(parameters.grad(), torch::tensor(0.1f));
  axes.renew(first, second, alone);
  EXPECT_EQ(axes.turned(parameters.grad()).abs().gt(1e-3).sum().item<int>(), 1);
}

/// A symmetric matrix with eigenvalues of so many decades up and down from 1 in random directions, and its roots.
struct Slope {
  torch::Tensor steepness, root, inverse_root;
};

Slope slope_of(double decades) {
  const torch::Tensor turn = std::get<0>(torch::linalg_qr(torch::randn({16, 16})));
  const auto with = [&](double d) { return turn.matmul(torch::diag(torch::logspace(-d, d, 16))).matmul(turn.t()); };
  return {with(decades), with(decades / 2), with(-decades / 2)};
}

/// A valley that lies across the weights, with gradients that scatter most where it is steep, as those of a policy do.
struct Valley {
  double decades;  // of steepness, up and down from 1, on both sides of the matrix
  bool converged;  // the start is as high in all directions, because what is steep was gone down long ago; or as far
};

/// The height in it after 1,000 steps with falling rates.
double height_after(Parameters& parameters, const Valley& valley, AdamOptions options, double rate, int seed) {
  const std::string name = "actor.decoder.linear_K1.weight";
  const torch::NoGradGuard no_grad;
  torch::manual_seed(seed);
  const Slope left = slope_of(valley.decades), right = slope_of(valley.decades);
  torch::Tensor weights = parameters[name].detach();
  weights.copy_(torch::randn({16, 16}));
  if (valley.converged) weights.copy_(left.inverse_root.matmul(weights).matmul(right.inverse_root));
  options.max_norm = 1e9;
  Adam adam(parameters, options);
  Team alone;
  constexpr int kSteps = 1000;
  torch::Tensor height;
  for (int i = 0; i < kSteps; ++i) {
    adam.set_learning_rates(rate * (kSteps - i) / kSteps, 0);
    const torch::Tensor slope = left.steepness.matmul(weights).matmul(right.steepness);
    parameters.gradient(name).copy_(slope + 5 * left.root.matmul(torch::randn({16, 16})).matmul(right.root));
    height = 0.5 * (weights * slope).sum();
    adam.step(height);
    if (i % 50 == 49) adam.renew_axes(alone);
  }
  return height.item<double>();
}

TEST_F(AxesTest, AdamGoesDownAValleyThatLiesAcrossTheWeights) {
  double own = 0, straight = 0;
  const Valley valley{.decades = 2, .converged = false};
  for (int seed = 1; seed <= 2; ++seed) {
    own += height_after(parameters_, valley, {.own_axes = true}, 0.04, seed);
    straight += height_after(parameters_, valley, {.own_axes = false}, 0.04, seed);
  }
  EXPECT_LT(own, 0.95 * straight) << own / straight;
}

// Where the steep directions have been gone down, longer steps along the flat ones are what is missing, and no rate of
// Adam's makes up for them.
TEST_F(AxesTest, LongerStepsAlongFlatAxesGoFurtherDownAConvergedValley) {
  const auto lowest = [&](double flat_steps) {
    double found = INFINITY;
    for (const double rate : {0.1, 0.3})
      found = std::min(found, height_after(parameters_, {.decades = 1, .converged = true},
                                           {.own_axes = true, .flat_steps = flat_steps}, rate, 1));
    return found;
  };
  const double adam = lowest(1), natural = lowest(10);
  EXPECT_LT(natural, 0.85 * adam) << natural / adam;
}

// Gradients that do not change: Adam's steps are all of one length, those of flat axes are longer, up to a bound.
TEST_F(AxesTest, FlatStepsAreInInverseProportionToTheSpread) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor before = parameters_.flat().clone();
  torch::Tensor spread = torch::ones_like(before);
  spread.narrow(0, 0, 10).fill_(0.2);
  spread.narrow(0, 10, 10).fill_(1e-4);
  parameters_.grad().copy_(spread);
  Adam adam(parameters_, {.max_norm = 1e9, .own_axes = true, .flat_steps = 8});
  adam.set_learning_rates(0.001, 0);
  adam.step(torch::zeros({}));
  const torch::Tensor step = (before - parameters_.flat()) / 0.001;
  const double mean = spread.square().mean().item<double>();
  for (const int place : {0, 15, 100}) {
    const double variance = std::pow(spread[place].item<double>(), 2);
    EXPECT_NEAR(step[place].item<double>(), std::sqrt(mean / (variance + mean / 64)), 0.01) << place;
  }
}

// Its gradients are steep by its unit: in inverse proportion to them it would not move.
TEST(ProspectTableTest, TakesTheLongestSteps) {
  policy::Architecture told = policy::paper_architecture(ProblemKind::tsp);
  told.dim = told.feed_forward = 16;
  told.prospects = true;
  Parameters parameters(told, torch::kCPU);
  const torch::NoGradGuard no_grad;
  const torch::Tensor before = parameters.flat().clone();
  parameters.grad().fill_(1e-3);
  parameters.prospect_table().grad().fill_(1);
  Adam adam(parameters, {.max_norm = 1e9, .own_axes = true, .flat_steps = 6});
  adam.set_learning_rates(0.001, 0);
  adam.step(torch::zeros({}));
  const torch::Tensor step = parameters.prospect_table().detach().abs() / 0.001;
  EXPECT_NEAR(step.min().item<double>(), 6, 0.06);
  EXPECT_NEAR(step.max().item<double>(), 6, 0.06);
  const torch::Tensor others = (before - parameters.flat()).abs().narrow(0, 0, 100) / 0.001;
  EXPECT_NEAR(others.min().item<double>(), std::sqrt(1 / (1 + 1.0 / 36)), 0.01);  // as if there were no table
}

}  // namespace
}  // namespace neuopt::train
