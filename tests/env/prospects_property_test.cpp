// What choices are said to lead to, against brute force: make each exchange, and look at the tour.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "env/prospects.h"
#include "seen_state.h"
#include "support/property.h"

namespace neuopt {
namespace {

using test::Choices;
using test::draw_seed;
using test::Draws;
using test::SeenState;
using test::World;

constexpr int kVehicleUnits = 20;
constexpr double kRounding = 2e-6;
constexpr int kMoves = 5, kForesight = 3;

World draw_small_world(Draws& draws) {
  const int depots = *rc::gen::inRange(0, 6).as("depots");
  const int others = *rc::gen::inRange(5, 14).as("other nodes");
  World world = test::random_world(depots + others, depots, kVehicleUnits, draws);
  if (draws.below(3) == 0) test::draw_matrix(world, draws);
  return world;
}

env::StepProspects prospects_at(const env::ProspectState& state, int k, const kopt::Action& action) {
  return env::prospects_at(SerialLanes{}, state, k, action);
}

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

/// The best feasible exchange of two edges with this anchor; `fixed` as in SeenState.
double best_of_two_edges(World& world, int anchor, const std::vector<bool>& fixed) {
  double best = env::kNoProspect;
  for (int rank = 2; rank <= world.nodes() - 2; ++rank) {
    if (fixed[(anchor + rank) % world.nodes()]) continue;
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
    if (!ranks.empty()) RC_ASSERT(env::told_prospect(step, position).change == prospect.change);  // looks no further
  }
}

TEST(ProspectsProperty, AreWhatExchangesDo) {
  test::check_property(2000, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenState seen = test::draw_seen(world, kForesight, 0.01f, draws);
    const int nodes = world.nodes(), anchor = draws.below(nodes);
    int storage[kopt::kMostMoves];
    kopt::Action action = kopt::start_at_position(anchor, nodes, storage);
    std::vector<int> ranks;
    for (int k = 1; k < 6 && !action.closed; ++k) {
      compare_step(world, prospects_at(seen.state, k, action), anchor, ranks);
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
    const SeenState seen = test::draw_seen(world, kForesight, 0, draws);
    const env::StepProspects step = prospects_at(seen.state, 0, {});
    for (int anchor = 0; anchor < world.nodes(); ++anchor)
      RC_ASSERT(std::abs(static_cast<double>(step.at(anchor).change) - best_of_two_edges(world, anchor, seen.fixed)) <
                kRounding);
  });
}

/// Told of the first two choices: the best feasible exchange of three edges whose first cut is this one, or `best`.
double best_of_three_edges(World& world, int anchor, int first, const std::vector<bool>& fixed, double best) {
  for (int second = first + 2; second < world.nodes(); ++second) {
    if (fixed[(anchor + second) % world.nodes()]) continue;
    const Outcome outcome = exchanged(world, anchor, {first, second});
    if (!outcome.infeasible) best = std::min(best, outcome.change);
  }
  return best;
}

/// Those whose new edge is shorter than the removed one and has a length, by rank: the env::kFirstCuts shortest.
std::vector<int> shortest_first_cuts(const SeenState& seen, int anchor) {
  const int nodes = seen.state.nodes;
  const float removed = seen.state.length(anchor, (anchor + 1) % nodes);
  std::vector<std::pair<float, int>> cuts;
  for (int first = 2; first < nodes - 2; ++first) {
    const int other = (anchor + first) % nodes;
    const float added = seen.state.length(anchor, other);
    if (added > 0 && added < removed && !seen.fixed[other]) cuts.emplace_back(added, first);
  }
  std::sort(cuts.begin(), cuts.end());
  if (cuts.size() > env::kFirstCuts) cuts.resize(env::kFirstCuts);
  std::vector<int> ranks;
  for (const auto& [added, first] : cuts) ranks.push_back(first);
  return ranks;
}

TEST(ProspectsProperty, OfAnchorsLookFurtherWhereTheFirstNewEdgeIsShorter) {
  test::check_property(500, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenState seen = test::draw_seen(world, kForesight, 0, draws);
    const env::StepProspects step = prospects_at(seen.state, 0, {});
    const int nodes = world.nodes();
    for (int anchor = 0; anchor < nodes; ++anchor) {
      if (seen.fixed[anchor]) continue;
      double best = best_of_two_edges(world, anchor, seen.fixed);
      for (const int first : shortest_first_cuts(seen, anchor))
        best = best_of_three_edges(world, anchor, first, seen.fixed, best);
      const env::Prospect told = env::told_prospect(step, anchor);
      RC_ASSERT(std::abs(static_cast<double>(told.change) - best) < kRounding);
      RC_ASSERT(told.open == -seen.state.length(anchor, (anchor + 1) % nodes));
    }
  });
}

/// Changes above kNoProspect, which only costs of a matrix can have, are all the same to anchors and first choices.
double within_bounds(double change) { return std::min(change, static_cast<double>(env::kNoProspect)); }

TEST(ProspectsProperty, OfFirstChoicesLookFurtherWhereTheyGain) {
  test::check_property(500, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenState seen = test::draw_seen(world, kForesight, 0, draws);
    const int nodes = world.nodes(), anchor = draws.below(nodes);
    int storage[kopt::kMostMoves];
    const env::StepProspects step = prospects_at(seen.state, 1, kopt::start_at_position(anchor, nodes, storage));
    for (int first = 2; first < nodes - 1; ++first) {
      const int position = (anchor + first) % nodes;
      if (seen.fixed[position]) continue;
      const env::Prospect near = step.at(position), told = env::told_prospect(step, position);
      RC_ASSERT(told.open == near.open);
      double best = near.infeasible ? static_cast<double>(env::kNoProspect) : static_cast<double>(near.change);
      if (near.open < 0) best = best_of_three_edges(world, anchor, first, seen.fixed, best);
      RC_ASSERT(told.infeasible == (near.infeasible && best == static_cast<double>(env::kNoProspect)));
      if (!told.infeasible)
        RC_ASSERT(std::abs(within_bounds(static_cast<double>(told.change)) - within_bounds(best)) < kRounding);
    }
  });
}

TEST(Prospects, LookAsFarAsTheyAreAsked) {
  Draws draws(3);
  World world = test::random_world(12, 0, kVehicleUnits, draws);
  SeenState seen(world, kForesight, 0);
  const auto told_of_all = [&](int foresight) {
    seen.state.foresight = foresight;
    const env::StepProspects step = prospects_at(seen.state, 0, {});
    double sum = 0;
    for (int a = 0; a < world.nodes(); ++a) sum += static_cast<double>(env::told_prospect(step, a).change);
    return sum;
  };
  double of_two_edges = 0;
  for (int anchor = 0; anchor < world.nodes(); ++anchor) of_two_edges += best_of_two_edges(world, anchor, seen.fixed);
  EXPECT_NEAR(told_of_all(2), of_two_edges, 1e-4);
  EXPECT_LT(told_of_all(3), of_two_edges - 0.1);
}

TEST(ProspectsProperty, ScoresAreFeaturesTimesWeights) {
  test::check_property(300, [] {
    Draws draws = draw_seed();
    World world = draw_small_world(draws);
    const SeenState seen = test::draw_seen(world, kForesight, draws.unit() - 0.5f, draws);
    const int nodes = world.nodes();
    std::vector<std::int32_t> choices{draws.below(nodes)};
    int storage[kopt::kMostMoves];
    kopt::Action action = kopt::start_at_position(choices[0], nodes, storage);
    while (static_cast<int>(choices.size()) < kMoves) {
      const kopt::LegalRanks legal = kopt::legal_ranks(action);
      choices.push_back(kopt::wrap_above(choices[0] + draws.between(legal.first, legal.last), nodes));
      if (!action.closed) kopt::choose_position(action, choices.back());
    }
    std::vector<float> weights;
    for (int i = 0; i < env::kProspectRows * env::kProspectFeatures; ++i) weights.push_back(draws.unit());
    std::vector<float> features(static_cast<std::size_t>(kMoves * nodes * env::kProspectFeatures), NAN);
    const env::HostTellers tellers;
    env::write_prospects(tellers, seen.state, choices.data(), kMoves, features.data());
    for (int k = 0; k < kMoves; ++k) {
      std::vector<float> scores(static_cast<std::size_t>(nodes), 0.0f);
      env::add_prospects(tellers, seen.state, choices.data(), k, weights.data(), scores.data());
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
  env::ProspectState state = env::prospect_state(3, kForesight, features.data(), 2, false, 0);
  EXPECT_FLOAT_EQ(state.length(0, 1), 1);
  env::InstanceView instance{};
  instance.matrix = matrix.data(), instance.place = place.data(), instance.places = 3;
  state.read_instance(instance, order.data());
  EXPECT_FLOAT_EQ(state.length(0, 1), 7);
  EXPECT_FLOAT_EQ(state.length(1, 2), 9);
}

/// A tour over the corners of a rectangle that crosses itself; 4 nodes in tour order.
const std::vector<float> kCrossed{0, 0, 0.4f, 0.3f, 0.4f, 0, 0, 0.3f};

/// The features of a choice, as the network is told.
std::vector<float> told(const env::StepProspects& step, int position) {
  std::vector<float> features(env::kProspectFeatures);
  env::for_each_prospect_feature(env::told_prospect(step, position), step.state.above,
                                 [&](int i, float value) { features[static_cast<std::size_t>(i)] = value; });
  return features;
}

void expect_told(const env::StepProspects& step, int position, const std::vector<float>& expected) {
  const std::vector<float> found = told(step, position);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-6f) << position << ", " << i;
}

float rises(float by, float scale) { return 0.5f - 0.5f * by / (std::abs(by) + scale); }

// The diagonals are 0.5 long, and without them the tour is 0.2 shorter; it is 0.1 above the best.
TEST(Prospects, AreToldByTheseNumbers) {
  const env::ProspectState state = env::prospect_state(4, kForesight, kCrossed.data(), 2, false, 0.1f);
  const env::StepProspects anchors = prospects_at(state, 0, {});
  EXPECT_FLOAT_EQ(anchors.at(0).change, -0.2f);
  EXPECT_FLOAT_EQ(anchors.at(0).open, -0.5f);
  expect_told(anchors, 0,
              {rises(-0.1f, 0.001f), rises(-0.1f, 0.01f), rises(-0.1f, 0.1f), rises(-0.2f, 0.01f), rises(-0.2f, 0.1f),
               0, rises(-0.5f, 0.01f), rises(-0.5f, 0.1f), 0, 0, 0, 0, 0, 0, 0});
  int storage[kopt::kMostMoves];
  kopt::Action action = kopt::start_at_position(0, 4, storage);
  const env::StepProspects first = prospects_at(state, 1, action);  // to position 2: 0.4 instead of 0.5
  expect_told(first, 2,
              {rises(-0.1f, 0.001f), rises(-0.1f, 0.01f), rises(-0.1f, 0.1f), rises(-0.2f, 0.01f), rises(-0.2f, 0.1f),
               0, rises(-0.6f, 0.01f), rises(-0.6f, 0.1f), 0, 0, 0, 0, 0, 0, 0});
  expect_told(first, 1,
              {0, 0, 0, 0, 0, 0, 0, 0, rises(0.1f, 0.001f), rises(0.1f, 0.01f), rises(0.1f, 0.1f), 0.5f, 0.5f, 0,
               1});  // undoes the S-move
  EXPECT_LT(rises(0.1f, 0.01f), 0.5f);
  EXPECT_GT(rises(-0.1f, 0.01f), 0.5f);
  kopt::choose_position(action, 2);
  const std::vector<float> closed{0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  rises(-0.1f, 0.001f),
                                  rises(-0.1f, 0.01f),
                                  rises(-0.1f, 0.1f),
                                  rises(-0.2f, 0.01f),
                                  rises(-0.2f, 0.1f),
                                  0,
                                  1};
  expect_told(prospects_at(state, 2, action), 3, closed);
}

TEST(Prospects, AnchorsAreNotToldOfExchangesThatRemoveFixedEdges) {
  const std::vector<std::int32_t> order{0, 1, 2, 3}, partners{-1, -1, -1, -1, 3, -1, 2, -1};  // 2 and 3 are together
  env::InstanceView instance{};
  instance.fixed = partners.data();
  env::ProspectState state = env::prospect_state(4, kForesight, kCrossed.data(), 2, false, 0);
  EXPECT_FLOAT_EQ(prospects_at(state, 0, {}).at(0).change, -0.2f);
  state.read_instance(instance, order.data());
  EXPECT_EQ(prospects_at(state, 0, {}).at(0).change, env::kNoProspect);  // its only other edge is fixed
}

}  // namespace
}  // namespace neuopt
