#include "problem/verify.h"

#include <gtest/gtest.h>

namespace neuopt {
namespace {

/// Depot at the origin, customers 1..5 on the x axis at 1..5, demand 4 each, capacity 10.
Instance line() {
  Instance instance;
  instance.kind = ProblemKind::cvrp;
  instance.metric = Metric::unit;
  instance.size = 6;
  instance.capacity = 10;
  for (int node = 0; node < 6; ++node) {
    instance.coordinates.push_back({static_cast<double>(node), 0});
    instance.demand.push_back(node == 0 ? 0 : 4);
  }
  return instance;
}

Instance square() {
  Instance instance;
  instance.metric = Metric::unit;
  instance.size = 4;
  instance.coordinates = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  return instance;
}

using Words = std::vector<std::string>;

TEST(Verify, AcceptsAFeasibleSolution) {
  const Verdict verdict = verify(line(), {{{1, 2}, {3, 4}, {}, {5}}});
  EXPECT_TRUE(verdict.feasible);
  EXPECT_DOUBLE_EQ(verdict.cost, 4 + 8 + 10);
  EXPECT_EQ(verdict.loads, (std::vector<double>{8, 8, 0, 4}));
  EXPECT_TRUE(verdict.findings.empty());
}

TEST(Verify, NamesWhatIsWrong) {
  const Verdict verdict = verify(line(), {{{1, 2, 4}, {4, 5}}});
  EXPECT_FALSE(verdict.feasible);
  EXPECT_EQ(verdict.findings, (Words{"route 1 over capacity by 2 (12 of 10)", "customer 3 missing",
                                     "customer 4 visited twice (routes 1 and 2)"}));
}

TEST(Verify, CountsCustomersWithoutTheDepot) {
  Instance instance = line();
  instance.depot = 2;
  instance.demand = {4, 4, 0, 4, 4, 4};
  const Verdict verdict = verify(instance, {{{1, 3}, {4, 5}}});
  EXPECT_EQ(verdict.findings, (Words{"customer 1 missing"}));
  EXPECT_EQ(verify(instance, {{{0, 1}, {4, 5}}}).findings, (Words{"customer 3 missing"}));
}

TEST(Verify, CountsIndicesWhereAskedTo) {
  Instance instance = line();
  instance.depot = 2;
  instance.demand = {4, 4, 0, 4, 4, 4};
  EXPECT_EQ(verify(instance, {{{0, 1}, {4, 5}}}, Numbering::indices).findings, (Words{"node 3 missing"}));
  EXPECT_EQ(verify(instance, {{{0, 1, 3}, {4, 5}}}, Numbering::indices).findings,
            (Words{"route 0 over capacity by 2 (12 of 10)"}));
}

TEST(Verify, RefusesIndicesThatAreNoCustomers) {
  EXPECT_EQ(verify(line(), {{{1, 6, -1}}}).findings, (Words{"route 1 has node index 6, which is not in 0..5",
                                                            "route 1 has node index -1, which is not in 0..5"}));
  EXPECT_EQ(verify(line(), {{{1, 0, 2}, {3, 4}, {5}}}).findings,
            (Words{"route 1 visits the depot between its customers"}));
}

TEST(Verify, ListsABoundedNumberOfFindings) {
  Instance instance = square();
  instance.size = 100;
  instance.coordinates.resize(100);
  const Verdict verdict = verify(instance, {{{0}}});
  EXPECT_EQ(verdict.findings.size(), kMaxFindings + 1u);
  EXPECT_EQ(verdict.findings.back(), "and 79 more");
}

TEST(Verify, ChecksTours) {
  EXPECT_TRUE(verify(square(), {{{2, 3, 0, 1}}}).feasible);
  EXPECT_DOUBLE_EQ(verify(square(), {{{2, 3, 0, 1}}}).cost, 4);
  EXPECT_EQ(verify(square(), {{{2, 3, 0, 2}}}).findings, (Words{"node 2 missing", "node 3 visited twice (route 1)"}));
  EXPECT_EQ(verify(square(), {{{0, 1}, {2, 3}}}).findings, (Words{"2 routes, expected one tour"}));
  EXPECT_FALSE(verify(square(), {}).feasible);
}

TEST(Verify, NamesEveryFixedEdgeThatIsNotThere) {
  Instance instance = square();
  instance.fixed_edges = {{2, 0}, {3, 0}};
  EXPECT_TRUE(verify(instance, {{{0, 2, 1, 3}}}).feasible) << "the second one closes the tour";
  EXPECT_TRUE(verify(instance, {{{1, 3, 0, 2}}}).feasible);
  EXPECT_EQ(verify(instance, {{{0, 1, 2, 3}}}).findings, (Words{"the fixed edge of nodes 3 and 1 missing"}));
  instance.fixed_edges = {{2, 0}, {3, 1}};
  EXPECT_EQ(verify(instance, {{{0, 1, 2, 3}}}).findings,
            (Words{"the fixed edge of nodes 3 and 1 missing", "the fixed edge of nodes 4 and 2 missing"}));
}

TEST(Verify, IsExactForWholeNumbersOnly) {
  Instance instance = line();
  instance.capacity = 1'000'000;
  instance.demand = {0, 500'000, 500'001, 1, 1, 1};
  EXPECT_FALSE(verify(instance, {{{1, 2}, {3, 4, 5}}}).feasible);
  // Sums of fractions carry rounding: a hair above the capacity is none.
  instance.capacity = 1;
  instance.demand = {0, 0.5, 0.5000001, 0.1, 0.1, 0.1};
  EXPECT_TRUE(verify(instance, {{{1, 2}, {3, 4, 5}}}).feasible);
  instance.demand[2] = 0.501;
  EXPECT_FALSE(verify(instance, {{{1, 2}, {3, 4, 5}}}).feasible);
}

TEST(Diagnose, FindsDemandsThatFitNowhere) {
  Instance instance = line();
  EXPECT_TRUE(diagnose(instance).solvable);
  EXPECT_EQ(diagnose(instance).total_demand, 20);
  instance.demand[3] = 11;
  EXPECT_FALSE(diagnose(instance).solvable);
  EXPECT_EQ(diagnose(instance).findings, (Words{"customer 3 has demand 11, above the capacity 10"}));
  instance.demand[3] = -1;
  EXPECT_EQ(diagnose(instance).findings, (Words{"customer 3 has demand -1"}));
  instance.capacity = 0;
  EXPECT_FALSE(diagnose(instance).solvable);
}

TEST(Diagnose, CountsNodesAtOnePlace) {
  Instance instance = square();
  instance.coordinates[3] = instance.coordinates[2] = instance.coordinates[0];
  EXPECT_EQ(diagnose(instance).duplicate_points, 2);
  EXPECT_EQ(diagnose(square()).duplicate_points, 0);
  EXPECT_EQ(diagnose(instance).findings, (Words{"2 nodes at the place of another"}));
}

TEST(Diagnose, CountsTheFewestVehicles) {
  Instance instance = line();
  EXPECT_EQ(fewest_vehicles(instance), 2);
  EXPECT_EQ(diagnose(instance).vehicles_bound, 2);
  instance.demand = {100, 6, 6, 6, 1, 1};  // that of the depot does not count, and no two of the large ones fit
  EXPECT_EQ(fewest_vehicles(instance), 3);
  instance.demand = {0, 3, 3, 4, 1, 0};  // whole numbers: one too many is too many
  EXPECT_EQ(fewest_vehicles(instance), 2);
  instance.demand.assign(instance.demand.size(), 0);
  EXPECT_EQ(fewest_vehicles(instance), 0);
}

TEST(Diagnose, NeedsNoVehicleForWhatTheVerifierTolerates) {
  Instance instance = line();
  instance.capacity = 1;
  instance.vehicles = 1;
  instance.demand = {0, 0.3, 0.3, 0.2, 0.2, 0.000005};
  EXPECT_TRUE(verify(instance, {{{1, 2, 3, 4, 5}}}).feasible);
  EXPECT_TRUE(diagnose(instance).solvable);
  instance.demand.back() = 0.0001;
  EXPECT_FALSE(verify(instance, {{{1, 2, 3, 4, 5}}}).feasible);
  EXPECT_EQ(diagnose(instance).findings, (Words{"the demands need at least 2 vehicles, there are 1"}));
}

TEST(BinPacking, BoundsBeyondTheVolume) {
  EXPECT_EQ(bin_packing_bound({}, 10), 0);
  EXPECT_EQ(bin_packing_bound({10, 10}, 10), 2);
  EXPECT_EQ(bin_packing_bound({5, 5, 5, 5}, 10), 2);
  EXPECT_EQ(bin_packing_bound({6, 6, 6}, 10), 3);            // volume 18 would allow 2
  EXPECT_EQ(bin_packing_bound({4, 4, 4, 4, 4}, 10), 2);      // volume 20; L2 does not see that 3 are needed
  EXPECT_EQ(bin_packing_bound({7, 7, 4, 4, 4}, 10), 4);      // the large ones leave no room for a 4
  EXPECT_EQ(bin_packing_bound({0.1, 0.2, 0.3, 0.4}, 1), 1);  // a sum that rounding puts a hair above 1
}

}  // namespace
}  // namespace neuopt
