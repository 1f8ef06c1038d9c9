// What choices are said to lead to, against brute force: make each exchange, and look at the tour.
#include <cmath>
#include <vector>

#include "env/prospects.h"
#include "support/property.h"
#include "world.h"

namespace neuopt {
namespace {

using test::Choices;
using test::draw_seed;
using test::Draws;
using test::World;

constexpr int kVehicleUnits = 20;
constexpr double kRounding = 2e-6;

World draw_small_world(Draws& draws) {
  const int depots = *rc::gen::inRange(0, 6).as("depots");
  const int others = *rc::gen::inRange(5, 14).as("other nodes");
  return test::random_world(depots + others, depots, kVehicleUnits, draws);
}

/// The state in tour order, as batches of searches have it.
struct SeenInTourOrder {
  std::vector<float> features;
  env::ProspectState state;

  SeenInTourOrder(World& world, float above) {
    const std::vector<float> by_node = world.features();
    const auto width = static_cast<std::ptrdiff_t>(by_node.size()) / world.nodes();
    for (const int node : world.tour.order)
      features.insert(features.end(), by_node.begin() + node * width, by_node.begin() + (node + 1) * width);
    state = env::prospect_state(world.nodes(), features.data(), static_cast<int>(width), world.depots > 0, above);
  }
};

struct Outcome {
  double change;
  bool infeasible;
};

/// Of the exchange with this anchor (a position) and these cuts (ranks).
Outcome exchanged(World& world, int anchor, const std::vector<int>& ranks) {
  test::Tour after = world.tour;
  std::vector<int> cuts;
  const kopt::Action action = test::make_action(after.view(), Choices{world.tour.order[anchor], ranks}, cuts);
  kopt::apply_exchange(SerialLanes{}, after.view(), action, world.scratch.data());
  const double before = env::tour_cost(world.instance(), world.tour.view());
  return {env::tour_cost(world.instance(), after.view()) - before,
          world.depots > 0 && test::excess_by_count(world, after.order, kVehicleUnits) > 0};
}

/// The best feasible exchange of two edges with this anchor.
double best_of_two_edges(World& world, int anchor) {
  double best = env::kNoProspect;
  for (int rank = 2; rank <= world.nodes() - 2; ++rank) {
    const Outcome outcome = exchanged(world, anchor, {rank});
    if (!outcome.infeasible) best = std::min(best, outcome.change);
  }
  return best;
}

/// Compares all choices at a decoding step; `ranks` are the cuts so far.
void compare_step(World& world, const env::StepProspects& step, int anchor, const std::vector<int>& ranks) {
  for (int position = 0; position < world.nodes(); ++position) {
    if (!step.has(position)) continue;
    const env::Prospect prospect = step.at(position);
    std::vector<int> with = ranks;
    if (!prospect.closing) with.push_back(kopt::wrap(position - anchor, world.nodes()));
    const Outcome outcome = exchanged(world, anchor, with);
    RC_ASSERT(std::abs(static_cast<double>(prospect.change) - outcome.change) < kRounding);
    RC_ASSERT(prospect.infeasible == outcome.infeasible);
  }
}

TEST(ProspectsProperty, AreWhatExchangesDo) {
  test::check_property(2000, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenInTourOrder seen(world, 0.01f);
    const int nodes = world.nodes(), anchor = draws.below(nodes);
    int storage[env::kMostMoves];
    kopt::Action action = kopt::start_at_position(anchor, nodes, storage);
    std::vector<int> ranks;
    for (int k = 1; k < 6 && !action.closed; ++k) {
      compare_step(world, env::prospects_at(seen.state, k, action), anchor, ranks);
      const kopt::LegalRanks legal = kopt::legal_ranks(action);
      const int rank = draws.between(legal.first, legal.last);
      kopt::choose(action, rank == nodes ? 0 : rank);
      if (!action.closed) ranks.push_back(rank);
    }
  });
}

TEST(ProspectsProperty, OfAnchorsAreTheirBestExchangesOfTwoEdges) {
  test::check_property(500, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenInTourOrder seen(world, 0);
    const env::StepProspects step = env::prospects_at(seen.state, 0, {});
    for (int anchor = 0; anchor < world.nodes(); ++anchor)
      RC_ASSERT(std::abs(static_cast<double>(step.at(anchor).change) - best_of_two_edges(world, anchor)) < kRounding);
  });
}

TEST(ProspectsProperty, ScoresAreFeaturesTimesWeights) {
  constexpr int kMoves = 5;
  test::check_property(300, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenInTourOrder seen(world, draws.unit() - 0.5f);
    const int nodes = world.nodes();
    std::vector<std::int32_t> choices{draws.below(nodes)};
    int storage[env::kMostMoves];
    kopt::Action action = kopt::start_at_position(choices[0], nodes, storage);
    while (static_cast<int>(choices.size()) < kMoves) {
      const kopt::LegalRanks legal = kopt::legal_ranks(action);
      choices.push_back(kopt::wrap_above(choices[0] + draws.between(legal.first, legal.last), nodes));
      if (!action.closed) kopt::choose_position(action, choices.back());
    }
    std::vector<float> weights;
    for (int i = 0; i < env::kProspectRows * env::kProspectFeatures; ++i) weights.push_back(draws.unit());
    std::vector<float> features(static_cast<std::size_t>(kMoves * nodes * env::kProspectFeatures), NAN);
    env::write_prospects(SerialLanes{}, seen.state, choices.data(), kMoves, features.data());
    for (int k = 0; k < kMoves; ++k) {
      std::vector<float> scores(static_cast<std::size_t>(nodes), 0.0f);
      env::add_prospects(SerialLanes{}, seen.state, choices.data(), k, weights.data(), scores.data());
      for (int p = 0; p < nodes; ++p) {
        float sum = 0;
        for (int i = 0; i < env::kProspectFeatures; ++i)
          sum += weights[env::prospect_row(k) * env::kProspectFeatures + i] *
                 features[(k * nodes + p) * env::kProspectFeatures + i];
        RC_ASSERT(std::abs(scores[p] - env::kProspectUnit * sum) < 1e-4f);
      }
    }
  });
}

TEST(Prospects, AnInfiniteBestCostIsBounded) {
  EXPECT_EQ(env::above_best(3, INFINITY), -env::kNoProspect);
  EXPECT_EQ(env::above_best(1e9, 1), env::kNoProspect);
  EXPECT_FLOAT_EQ(env::above_best(3.5, 3.25), 0.25f);
}

TEST(Prospects, CostsOfAMatrixGoBeforePlaces) {
  const std::vector<float> features{0, 0, 1, 0, 0, 1};
  const std::vector<float> matrix{0, 5, 7, 5, 0, 9, 7, 9, 0};
  const std::vector<int> place{0, 1, 2};
  const std::vector<std::int32_t> order{0, 2, 1};
  env::TourLengths length{.features = features.data(), .width = 2};
  EXPECT_FLOAT_EQ(length(0, 1), 1);
  env::InstanceView instance{};
  instance.matrix = matrix.data(), instance.place = place.data(), instance.places = 3;
  length.read_matrix(instance, order.data());
  EXPECT_FLOAT_EQ(length(0, 1), 7);
  EXPECT_FLOAT_EQ(length(1, 2), 9);
}

}  // namespace
}  // namespace neuopt
