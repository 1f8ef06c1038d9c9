// Restarting copies of a session on other instances: as if the session had been opened with them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/factory.h"
#include "core/error.h"
#include "policy/random_model.h"
#include "worlds.h"

namespace neuopt::backends {
namespace {

class Restart : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const std::string& name : backend_names())
      if (name == GetParam()) backend_ = make_backend(name, 1);
    if (!backend_) GTEST_SKIP() << "no " << GetParam() << " here";
  }

  std::unique_ptr<policy::Session> open(std::span<const policy::Copy> copies) {
    return backend_->open(model_, copies, {});
  }

  std::shared_ptr<const policy::Model> model_ =
      std::make_shared<policy::Model>(policy::random_model(policy::paper_architecture(ProblemKind::cvrp), 1));
  test::Worlds worlds_{ProblemKind::cvrp, 12, 6};
  std::unique_ptr<policy::Backend> backend_;
};

TEST_P(Restart, IsAFreshSearchBesideTheOthers) {
  const std::span<const policy::Copy> copies(worlds_.copies);
  const auto session = open(copies.first(4));
  session->advance(5);
  const std::vector<int> which{3, 1};
  session->restart(which, copies.last(2));
  EXPECT_EQ(session->best_tour(3), copies[4].start);
  EXPECT_EQ(session->current_tour(1), copies[5].start);
  EXPECT_EQ(session->status(1).history.steps, 0);
  session->advance(7);

  const auto never_restarted = open(copies.first(4)), fresh = open(copies.last(2));
  never_restarted->advance(12);
  fresh->advance(7);
  for (const int copy : {0, 2}) {
    EXPECT_EQ(session->current_tour(copy), never_restarted->current_tour(copy));
    EXPECT_EQ(session->best_tour(copy), never_restarted->best_tour(copy));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(session->current_tour(which[i]), fresh->current_tour(i));
    EXPECT_EQ(session->status(which[i]).best_cost, fresh->status(i).best_cost);
  }
}

TEST_P(Restart, RefusesWhatDoesNotFitAndChangesNothing) {
  const std::span<const policy::Copy> copies(worlds_.copies);
  const auto session = open(copies.first(2));
  session->advance(3);
  const std::vector<int> before = session->current_tour(0);
  const test::Worlds larger(ProblemKind::cvrp, 13, 1);
  policy::Copy no_tour = worlds_.copies[2];
  no_tour.start[1] = no_tour.start[2];
  const std::vector<int> both{0, 1}, first{0}, twice{0, 0}, beyond{2};
  EXPECT_THROW(session->restart(first, larger.copies), InputError);
  EXPECT_THROW(session->restart(first, {&no_tour, 1}), InputError);
  EXPECT_THROW(session->restart(both, copies.first(1)), InputError);
  EXPECT_THROW(session->restart(twice, copies.first(2)), InputError);
  EXPECT_THROW(session->restart(beyond, copies.first(1)), InputError);
  EXPECT_EQ(session->current_tour(0), before);
  EXPECT_EQ(session->status(0).history.steps, 3);
}

/// The polish draws no numbers, so that on every backend the same tours are visited with it as without.
TEST_P(Restart, PolishKeepsAsideAndReturnsGoToTheBest) {
  std::vector<local::Neighbours> neighbours;
  for (const SearchInstance& instance : worlds_.instances) neighbours.push_back(local::find_neighbours(instance));
  for (std::size_t i = 0; i < worlds_.copies.size(); ++i) worlds_.copies[i].neighbours = &neighbours[i];
  policy::SessionOptions options;
  const auto plain = backend_->open(model_, worlds_.copies, options);
  options.polish_interval = 2;
  const auto polished = backend_->open(model_, worlds_.copies, options);
  plain->advance(7);
  polished->advance(7);
  int better = 0;
  for (int copy = 0; copy < plain->copies(); ++copy) {
    EXPECT_EQ(polished->current_tour(copy), plain->current_tour(copy));
    EXPECT_EQ(polished->status(copy).best_cost, plain->best_cost(copy));
    EXPECT_LE(polished->best_cost(copy), plain->best_cost(copy));
    better += polished->best_cost(copy) < plain->best_cost(copy);
    EXPECT_NEAR(tour_cost(*worlds_.copies[copy].instance, polished->best_tour(copy)), polished->best_cost(copy), 1e-4);
  }
  EXPECT_GT(better, 0);

  options.restart_interval = 4;
  const auto returning = backend_->open(model_, worlds_.copies, options);
  returning->advance(4);
  for (int copy = 0; copy < returning->copies(); ++copy) {
    EXPECT_EQ(returning->current_tour(copy), returning->best_tour(copy));
    EXPECT_NEAR(returning->status(copy).cost, returning->best_cost(copy), 1e-9);
  }
  worlds_.copies[0].neighbours = nullptr;
  EXPECT_THROW(backend_->open(model_, worlds_.copies, options), InputError);
}

INSTANTIATE_TEST_SUITE_P(Backends, Restart, testing::Values("reference", "cpu", "cuda"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace neuopt::backends
