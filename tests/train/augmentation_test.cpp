// Searches of a training batch that see their instances anew when they stall, as those of the solver do.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {
namespace {

TrainConfig small_config(const std::string& problem, int stall_limit) {
  return parse_train_config("", "test",
                            {"problem=" + problem, "size=12", "dim=16", "heads=2", "feed_forward=16", "layers=1",
                             "batch=16", "device=cpu", "threads=1", "stall_limit=" + std::to_string(stall_limit)});
}

/// Coordinates seen in 30 steps of 16 searches, about the centre of the square: (30, 16, N, 2).
torch::Tensor seen_places(const std::string& problem, int stall_limit, Chunk* recorded = nullptr) {
  const TrainConfig config = small_config(problem, stall_limit);
  LearningState state(config, torch::kCPU);
  SizeContext context(config, state, torch::kCPU);
  context.begin_batch(0, 0);
  context.sampler->take_weights();
  Chunk chunk = empty_chunk(context.environment, 30);
  roll_out(context.environment, *context.sampler, context.key, state.mean_improvement, chunk);
  if (recorded != nullptr) *recorded = chunk;
  return chunk.states.features.view({30, 16, context.nodes, -1}).narrow(3, 0, 2) - 0.5;
}

/// What no symmetry of the square changes: the two distances from its centre lines of each place, smaller first.
torch::Tensor invariant(const torch::Tensor& places) {
  return std::get<0>(places.abs().sort(-1)).reshape({30, 16, -1}).contiguous();
}

TEST(TrainingAugmentation, NothingIsSeenAnewWithoutAStallLimit) {
  const torch::Tensor places = seen_places("tsp", 0);
  const torch::Tensor sums = places.sum({2});  // over the nodes, whatever their order
  EXPECT_TRUE(torch::allclose(sums, sums.narrow(0, 0, 1).expand_as(sums), 0, 1e-4));
}

TEST(TrainingAugmentation, PlacesAreSeenThroughSymmetriesAndCostsStay) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Chunk chunk;
    const torch::Tensor places = seen_places(problem, 3, &chunk);
    const torch::Tensor sums = places.sum({2});
    EXPECT_FALSE(torch::allclose(sums, sums.narrow(0, 0, 1).expand_as(sums), 0, 1e-3)) << problem;
    const torch::Tensor kept = std::get<0>(invariant(places).sort(-1));
    EXPECT_TRUE(torch::allclose(kept, kept.narrow(0, 0, 1).expand_as(kept), 0, 1e-5)) << problem;
    const torch::Tensor legs = (places.roll({-1}, {2}) - places).square().sum(-1).sqrt().sum(-1);
    EXPECT_TRUE(torch::allclose(legs.view(-1), chunk.states.costs.select(1, 0), 0, 1e-4)) << problem;
    EXPECT_FALSE(torch::allclose(sums[0][0].abs(), sums[0][1].abs(), 0, 1e-3)) << "searches of different instances";
  }
}

TEST(TrainingAugmentation, SearchesDrawApart) {
  // The same instances without augmentation tell through which symmetry each search sees its own at the start.
  const torch::Tensor plain = seen_places("tsp", 0)[0], seen = seen_places("tsp", 1)[0];
  std::set<std::pair<int, int>> symmetries;  // images of the two axes
  const auto axis_like = [&](int search, int axis) {
    const torch::Tensor values = seen[search].select(1, axis);
    for (int image = 0; image < 4; ++image)
      if (torch::allclose(values, (image < 2 ? 1 : -1) * plain[search].select(1, image % 2), 0, 1e-6)) return image;
    return -1;
  };
  for (int search = 0; search < 16; ++search) symmetries.emplace(axis_like(search, 0), axis_like(search, 1));
  EXPECT_GE(symmetries.size(), 4u);
  for (const auto& [x, y] : symmetries) EXPECT_TRUE(x >= 0 && y >= 0 && x % 2 != y % 2);
}

}  // namespace
}  // namespace neuopt::train
