#include "problem/validate.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "problem/generate.h"

namespace neuopt {
namespace {

/// What validate says about an instance after a change; "" when nothing is wrong.
template <typename Change>
std::string finding(ProblemKind kind, Change change) {
  Instance instance = generate_uniform(kind, 6, 1, 0);
  change(instance);
  try {
    validate(instance);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void as_matrix(Instance& instance) {
  for (int from = 0; from < instance.size; ++from)
    for (int to = 0; to < instance.size; ++to) instance.matrix.push_back(from == to ? 0 : 1);
  instance.metric = Metric::explicit_matrix;
  instance.coordinates.clear();
}

TEST(Validate, AcceptsWhatMakesSense) {
  for (const ProblemKind kind : kProblemKinds) {
    EXPECT_EQ(finding(kind, [](Instance&) {}), "");
    EXPECT_EQ(finding(kind, as_matrix), "");
    EXPECT_EQ(finding(kind, [](Instance& i) { i.metric = Metric::geo; }), "");
  }
  EXPECT_EQ(finding(ProblemKind::cvrp, [](Instance& i) { i.demand[3] = i.capacity; }), "");
  EXPECT_EQ(finding(ProblemKind::cvrp, [](Instance& i) { i.demand[3] = 0; }), "");
}

TEST(Validate, NamesWhatIsWrongWithNodes) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto tsp = [](auto change) { return finding(ProblemKind::tsp, change); };
  EXPECT_EQ(tsp([](Instance& i) { i = Instance{}; }), "the instance has no nodes");
  EXPECT_EQ(tsp([](Instance& i) { i.coordinates.clear(); }), "the instance has no coordinates");
  EXPECT_EQ(tsp([](Instance& i) { i.size = 7; }), "6 coordinates, expected 7");
  EXPECT_EQ(tsp([](Instance& i) { i.coordinates[2].y = nan; }), "the coordinates of node 3 are not finite");
  EXPECT_EQ(tsp([](Instance& i) { i.coordinates[0].x = infinity; }), "the coordinates of node 1 are not finite");
  EXPECT_EQ(tsp([](Instance& i) { i.metric = Metric::euc_3d; }), "0 third coordinates, expected 6");
  EXPECT_EQ(tsp([](Instance& i) { i.metric = Metric::explicit_matrix; }), "0 distances, expected 36");
  const auto changed = [&](double value) {
    return tsp([&](Instance& i) {
      as_matrix(i);
      i.matrix[6] = value;  // from node 2 to node 1
    });
  };
  EXPECT_EQ(changed(5), "distances are not symmetric: 5 from node 2 to node 1, 1 back");
  EXPECT_NE(changed(nan).find("not finite"), std::string::npos);
}

TEST(Validate, NamesWhatIsWrongWithFixedEdges) {
  using Edges = std::vector<std::pair<int, int>>;
  const auto fixed = [](const Edges& edges, ProblemKind kind = ProblemKind::tsp) {
    return finding(kind, [&](Instance& i) { i.fixed_edges = edges; });
  };
  EXPECT_EQ(fixed({{0, 1}, {3, 2}, {5, 4}, {1, 2}, {3, 4}}), "") << "one chain, joined out of three";
  EXPECT_EQ(fixed({{0, 6}}), "a fixed edge has node 7, expected 1 to 6");
  EXPECT_EQ(fixed({{-1, 0}}), "a fixed edge has node 0, expected 1 to 6");
  EXPECT_EQ(fixed({{2, 2}}), "a fixed edge joins node 3 to itself");
  EXPECT_EQ(fixed({{0, 1}, {1, 2}, {1, 0}}), "the edge of nodes 2 and 1 is fixed twice");
  EXPECT_EQ(fixed({{0, 1}, {1, 2}, {3, 1}}), "node 2 has three fixed edges, expected two at most");
  EXPECT_EQ(fixed({{0, 1}, {2, 3}, {1, 2}, {3, 0}}), "the fixed edge of nodes 4 and 1 closes a cycle, expected chains");
  EXPECT_EQ(fixed({{1, 2}}, ProblemKind::cvrp), "fixed edges of a CVRP are not supported");
}

TEST(Validate, NamesWhatIsWrongWithVehicles) {
  const auto cvrp = [](auto change) { return finding(ProblemKind::cvrp, change); };
  EXPECT_EQ(cvrp([](Instance& i) { i.capacity = 0; }), "capacity is 0, expected more than 0");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand.pop_back(); }), "6 demands, expected 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.depot = 7; }), "the depot is node 8, expected 1 to 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.depot = -1; }), "the depot is node 0, expected 1 to 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand[2] = -1; }), "node 3 has demand -1, expected 0 to 30, the capacity");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand[2] = 31; }), "node 3 has demand 31, expected 0 to 30, the capacity");
  EXPECT_NE(cvrp([](Instance& i) { i.demand[2] = std::numeric_limits<double>::quiet_NaN(); }), "");
}

}  // namespace
}  // namespace neuopt
