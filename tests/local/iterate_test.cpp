// The search without a network: repeatable, always feasible, and good.
#include "local/iterate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "local/kicks/string_removal.h"
#include "local_world.h"
#include "problem/start.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

using test::LocalWorld;

local::Iterated run(const LocalWorld& world, std::int64_t iterations, std::uint64_t seed = 1) {
  local::IterateOptions options;
  options.random = Random{seed};
  options.share_done = [=](const local::IterateProgress& progress) {
    return static_cast<double>(progress.iterations) / static_cast<double>(iterations);
  };
  return local::iterate(world.search, world.neighbours, world.order, options);
}

TEST(Iterate, IsRepeatableAndFeasibleOnAllSorts) {
  test::Draws draws(5);
  for (const ProblemKind kind : kProblemKinds)
    for (int sort = 0; sort < test::kSorts; ++sort)
      for (const int customers : {1, 2, 3, 5, 8, 30}) {
        const LocalWorld world(test::sorted_instance(kind, customers, static_cast<test::Sort>(sort), draws), 10);
        const local::Iterated first = run(world, 300), second = run(world, 300);
        EXPECT_EQ(first.order, second.order);
        EXPECT_EQ(first.cost, second.cost);
        EXPECT_TRUE(world.is_well_formed(first.order));
        const Verdict verdict = verify(world.instance, to_solution(world.search, first.order));
        EXPECT_TRUE(verdict.feasible) << problem_name(kind) << " sort " << sort << ", " << customers << " customers";
        EXPECT_NEAR(verdict.cost, first.cost * world.search.cost_scale, 1e-4 * (1 + verdict.cost));
      }
}

TEST(Iterate, FindsTheBestTourOfASmallCircle) {
  Instance instance = generate_uniform(ProblemKind::tsp, 40, 1, 0);
  for (int node = 0; node < 40; ++node) {
    const double angle = 2 * M_PI * (node * 7 % 40) / 40;
    instance.coordinates[static_cast<std::size_t>(node)] = {0.5 + 0.5 * std::cos(angle), 0.5 + 0.5 * std::sin(angle)};
  }
  const LocalWorld world(instance, 10);
  EXPECT_NEAR(run(world, 2000).cost, 40 * std::sin(M_PI / 40), 1e-5);
}

/// From the same start, kicks must find much that local search alone does not.
TEST(Iterate, IsBetterThanLocalSearch) {
  for (const ProblemKind kind : kProblemKinds) {
    double iterated = 0, polished = 0;
    for (std::uint64_t index = 0; index < 6; ++index) {
      LocalWorld world(generate_uniform(kind, 60, 8, index), 16);
      iterated += run(world, 2000).cost;
      polished += world.polish(world.task()).cost;
    }
    EXPECT_LT(iterated, 0.99 * polished);
  }
}

TEST(Iterate, MendsAnInfeasibleStart) {
  test::Draws draws(9);
  for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw}) {
    LocalWorld world(generate_uniform(kind, 40, 2, 0), 12);
    world.shuffle(draws);
    EXPECT_TRUE(std::isfinite(run(world, 500).cost));
  }
}

/// Kicks one after the other, some of them taken back.
template <class Problem>
void check_kicks(const LocalWorld& world, const local::LocalRules& rules) {
  local::StringKicks<Problem> kicks(world.task(rules), world.order);
  const auto current = [&] {
    kicks.note_best();
    return kicks.best();
  };
  double cost = world.penalised(world.order, rules.penalty);
  for (int i = 0; i < 40; ++i) {
    const std::vector<int> before = current();
    local::KickDraws draws(Random{3}, 0, 0, i);
    const double delta = kicks.kick(draws);
    if (i % 3 == 0 || !std::isfinite(delta)) {
      kicks.undo();
      EXPECT_EQ(current(), before);
      EXPECT_NEAR(kicks.penalties(), world.penalised(before, rules.penalty) - world.penalised(before, 0), 1e-6);
      continue;
    }
    kicks.keep();
    const double after = world.penalised(current(), rules.penalty);
    EXPECT_NEAR(after, cost + delta, 1e-8 * (1 + cost));
    cost = after;
  }
}

TEST(Iterate, KicksSayWhatTheyChangeAndCanBeTakenBack) {
  test::Draws draws(6);
  for (int i = 0; i < 60; ++i) {
    const auto sort = static_cast<test::Sort>(i % test::kSorts);
    for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw}) {
      LocalWorld world(test::sorted_instance(kind, draws.between(2, 40), sort, draws), 10);
      local::LocalRules rules;
      if (i % 2 == 1) {
        rules.penalty = 0.5;
        world.shuffle(draws);
      }
      kind == ProblemKind::cvrp ? check_kicks<env::Cvrp>(world, rules) : check_kicks<env::Vrptw>(world, rules);
    }
  }
}

}  // namespace
}  // namespace neuopt
