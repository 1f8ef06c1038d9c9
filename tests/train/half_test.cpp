// A layer in half precision against the same in single precision, where there is a GPU.
#include <gtest/gtest.h>

#include <vector>

#include "train/device.h"
#include "train/half_ops.h"

namespace neuopt::train {
namespace {

constexpr int kDim = 128, kHeads = 4, kBatch = 3;

/// Input, positional scores and weights of a layer; without a mixer for plain attention.
struct LayerCase {
  bool mixed;
  std::vector<torch::Tensor> tensors;

  LayerCase(int nodes, bool is_mixed) : mixed(is_mixed) {
    torch::manual_seed(1);
    const auto weights = [](std::int64_t in, std::int64_t out) { return torch::randn({in, out}) / std::sqrt(in); };
    tensors = {torch::randn({kBatch, nodes, kDim}), weights(kDim, 3 * kDim), weights(kDim, kDim), weights(kDim, kDim),
               weights(kDim, kDim)};
    if (mixed)
      tensors.insert(tensors.end(), {torch::randn({kHeads, nodes, nodes}), weights(8, 8), torch::randn({8}) / 4,
                                     weights(8, 4).t().contiguous(), torch::zeros({4})});
    // As half numbers hold them: what differs afterwards is the computation.
    for (torch::Tensor& tensor : tensors) tensor = tensor.to(torch::kFloat16).to(torch::kFloat32);
  }

  /// The layer's result, then the gradients of a fixed projection of it.
  std::vector<torch::Tensor> run(torch::Device device, torch::ScalarType type) const {
    std::vector<torch::Tensor> t;
    for (const torch::Tensor& tensor : tensors) t.push_back(tensor.to(device).detach().requires_grad_(true));
    const LayerWeights weights{.query_key_value = t[1],
                               .output = t[2],
                               .feed_forward1 = t[3],
                               .feed_forward_bias1 = {},
                               .feed_forward2 = t[4],
                               .feed_forward_bias2 = {},
                               .mixer = mixed ? ScoreMixer{t[6], t[7], t[8], t[9]} : ScoreMixer{}};
    const bool half = type == torch::kFloat16;
    const PositionScores positions{mixed ? t[5] : torch::Tensor(),
                                   mixed && half ? half_position_table(t[5]) : torch::Tensor()};
    const torch::Tensor result = transformer_layer(t[0].to(type), weights, positions, kHeads).to(torch::kFloat32);
    torch::manual_seed(2);
    (result * torch::randn(tensors[0].sizes()).to(device)).sum().backward();
    std::vector<torch::Tensor> found{result.detach()};
    // The mixer's last bias has none: the softmax ignores it.
    for (std::size_t i = 0; i < (mixed ? 9 : t.size()); ++i) found.push_back(t[i].grad());
    return found;
  }
};

class HalfLayer : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(HalfLayer, FollowsSinglePrecisionOnAGpu) {
  const torch::Device device = parse_device("auto");
  const auto [nodes, mixed] = GetParam();
  if (!half_supported(device, policy::paper_architecture(ProblemKind::tsp), nodes)) GTEST_SKIP() << "no half precision";
  const LayerCase layer(nodes, mixed);
  const auto wanted = layer.run(torch::kCPU, torch::kFloat32), found = layer.run(device, torch::kFloat16);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double error = ((found[i].cpu() - wanted[i]).norm() / wanted[i].norm()).item<double>();
    EXPECT_LT(error, i == 0 ? 1e-2 : 5e-2) << "number " << i;
  }
  const auto again = layer.run(device, torch::kFloat16);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(torch::equal(found[i], again[i])) << "number " << i;
}

INSTANTIATE_TEST_SUITE_P(Sizes, HalfLayer,
                         testing::Combine(testing::Values(20, 100, 128, 129, 200, 230, 256), testing::Bool()));

}  // namespace
}  // namespace neuopt::train
