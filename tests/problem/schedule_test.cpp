// Schedules, and the verifier's judgement of times against a simulation of its own.
#include "problem/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/philox.h"
#include "problem/generate.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

using Words = std::vector<std::string>;

/// Depot at the origin, customers 1..4 on the x axis at 10, 20, 30, 40; a day from 100 to 300, service 5.
Instance street() {
  Instance instance;
  instance.kind = ProblemKind::vrptw;
  instance.metric = Metric::euc_2d;
  instance.size = 5;
  instance.capacity = 10;
  for (int node = 0; node < 5; ++node) {
    instance.coordinates.push_back({10.0 * node, 0});
    instance.demand.push_back(node);
    instance.windows.push_back({100, 300});
    instance.service.push_back(node == 0 ? 0 : 5);
  }
  return instance;
}

TEST(Schedule, WaitsForWindowsAndLeavesLate) {
  Instance instance = street();
  instance.windows[2] = {150, 200};
  instance.windows[4] = {190, 200};
  const std::vector<int> route{2, 3, 4};
  const RouteSchedule day = Scheduler(instance).schedule(route);
  EXPECT_EQ(day.departure, 130) << "no wait at the first stop";
  ASSERT_EQ(day.stops.size(), 3u);
  EXPECT_EQ(day.stops[0].node, 2);
  EXPECT_EQ(day.stops[0].arrival, 150);
  EXPECT_EQ(day.stops[0].start, 150);
  EXPECT_EQ(day.stops[0].wait, 0);
  EXPECT_EQ(day.stops[0].departure, 155);
  EXPECT_EQ(day.stops[0].load, 2);
  EXPECT_EQ(day.stops[2].arrival, 180);
  EXPECT_EQ(day.stops[2].wait, 10) << "leaving later would delay the first two";
  EXPECT_EQ(day.stops[2].departure, 195);
  EXPECT_EQ(day.stops[2].load, 9);
  EXPECT_EQ(day.back, 235);
  EXPECT_EQ(day.late, 0);
}

TEST(Schedule, WhoIsLateIsServedAlone) {
  Instance instance = street();
  const std::vector<std::vector<int>> as_it_is{{1, 2, 3, 4}};
  EXPECT_EQ(Scheduler(instance).in_time({1, 2, 3, 4}), as_it_is);
  instance.windows[2].closes = instance.windows[3].closes = 130;  // there at 125 and at 140
  const std::vector<std::vector<int>> one_apart{{1, 2, 4}, {3}};
  EXPECT_EQ(Scheduler(instance).in_time({1, 2, 3, 4}), one_apart);
  instance.windows[0].closes = 190;  // back at 195 from the three
  const std::vector<std::vector<int>> return_in_time{{1, 2}, {3}, {4}};
  EXPECT_EQ(Scheduler(instance).in_time({1, 2, 3, 4}), return_in_time);
  EXPECT_EQ(Scheduler(instance).in_time({}), (std::vector<std::vector<int>>{{}}));
}

TEST(Schedule, LeavesWhenTheDepotOpensIfNothingMakesItWait) {
  const std::vector<int> route{1};
  const RouteSchedule day = Scheduler(street()).schedule(route);
  EXPECT_EQ(day.departure, 100);
  EXPECT_EQ(day.stops[0].arrival, 110);
  EXPECT_EQ(day.back, 125);
  EXPECT_TRUE(Scheduler(street()).schedule({}).stops.empty());
}

TEST(Schedule, IsDrivenTheBetterWay) {
  Instance instance = street();
  instance.windows[1] = {100, 115};
  const Scheduler scheduler(instance);
  EXPECT_EQ(scheduler.as_driven({3, 2, 1}), (std::vector{1, 2, 3}));
  EXPECT_EQ(scheduler.as_driven({1, 3, 2}), (std::vector{1, 3, 2}));
  EXPECT_EQ(scheduler.as_driven({4, 3}), (std::vector{4, 3})) << "both are in time";
}

TEST(Schedule, TenthsAreExact) {
  Instance instance = street();
  instance.metric = Metric::dimacs_2d;
  instance.coordinates = {{0, 0}, {0.15, 0}, {0.25, 0}, {0.55, 0}, {0.66, 0}};  // distances 0.1, 0.1, 0.3, 0.1, ...
  for (double& service : instance.service) service = 0;
  instance.windows[3] = {100, 100.5};
  const std::vector<int> route{1, 2, 3};
  EXPECT_EQ(Scheduler(instance).schedule(route).stops[2].arrival, 100.5);
  EXPECT_EQ(Scheduler(instance).schedule(route).stops[2].late, 0);
  instance.windows[3].closes = 100.4;
  EXPECT_EQ(Scheduler(instance).schedule(route).stops[2].late, 0.1);
  EXPECT_EQ(verify(instance, {{{1, 2, 3}, {4}}}).cost, 2.2) << "no trace of binary fractions";
}

TEST(Verify, NamesWhoIsLateAndByHowMuch) {
  Instance instance = street();
  instance.windows[1] = {100, 120};
  instance.windows[0].closes = 185;
  const Verdict verdict = verify(instance, {{{2, 1}, {3, 4}}});
  EXPECT_FALSE(verdict.feasible);
  EXPECT_EQ(verdict.findings, (Words{"customer 1 late by 15 (route 1 is there at 135, the window closes at 120)",
                                     "route 2 back late by 5 (at 190, the depot closes at 185)"}));
  ASSERT_EQ(verdict.late.size(), 2u);
  EXPECT_EQ(verdict.late[0].route, 0);
  EXPECT_EQ(verdict.late[0].node, 1);
  EXPECT_EQ(verdict.late[0].by, 15);
  EXPECT_EQ(verdict.late[1].node, 0);
  EXPECT_TRUE(verify(instance, {{{1, 2}, {3}, {4}}}).feasible);
}

TEST(Verify, NamesEveryoneWhoIsLate) {
  const Instance instance = generate_uniform(ProblemKind::vrptw, 60, 1, 0);
  Solution one_route{{{}}};
  for (int node = 1; node < instance.size; ++node) one_route.routes[0].push_back(node);
  const Verdict verdict = verify(instance, one_route);
  ASSERT_GT(verdict.late.size(), static_cast<std::size_t>(kMaxFindings) + 1);
  ASSERT_EQ(verdict.findings.size(), verdict.late.size() + 1);
  EXPECT_NE(verdict.findings[0].find("route 1 over capacity"), std::string::npos);
  for (std::size_t i = 0; i < verdict.late.size(); ++i) {
    const int node = verdict.late[i].node;
    const std::string who = node == instance.depot ? "route 1 back" : "customer " + std::to_string(node);
    EXPECT_EQ(verdict.findings[i + 1].find(who + " late by "), 0u) << verdict.findings[i + 1];
  }
}

TEST(Verify, BoundsTheVehiclesOfAVrptw) {
  Instance instance = street();
  instance.vehicles = 1;
  EXPECT_EQ(verify(instance, {{{1, 2}, {3, 4}}}).findings, (Words{"2 routes, 1 more than there are vehicles"}));
  EXPECT_TRUE(verify(instance, {{{1, 2, 3, 4}}}).feasible);
}

TEST(Diagnose, NamesWhoCannotBeServed) {
  Instance instance = street();
  EXPECT_TRUE(diagnose(instance).solvable);
  instance.windows[4].closes = 130;
  EXPECT_FALSE(diagnose(instance).solvable);
  EXPECT_EQ(diagnose(instance).findings,
            (Words{"customer 4: the time window closes at 130, but a vehicle cannot be there before 140"}));
}

/// Whole numbers throughout, minute by minute: a vehicle that leaves at once, drives, waits and serves.
bool in_time(const Instance& instance, const std::vector<int>& route) {
  const auto window = [&](int node) { return instance.windows[static_cast<std::size_t>(node)]; };
  long minute = std::lround(window(0).opens);
  int last = 0;
  for (const int node : route) {
    for (long left = std::lround(instance.distance(last, node)); left > 0; --left) ++minute;
    while (minute < window(node).opens) ++minute;
    if (minute > window(node).closes) return false;
    for (long left = std::lround(instance.service[static_cast<std::size_t>(node)]); left > 0; --left) ++minute;
    last = node;
  }
  return static_cast<double>(minute + std::lround(instance.distance(last, 0))) <= window(0).closes;
}

TEST(Verify, JudgesTimesAsASimulationDoes) {
  int feasible = 0, late = 0;
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    const auto draw = [&](std::uint32_t number, std::uint32_t below) {
      return static_cast<double>(uniform_below(Random{5}.words(Draw::instance, trial, 0, number, 0).word[0], below));
    };
    Instance instance = street();
    instance.windows[0] = {draw(0, 20), 80 + draw(1, 120)};
    for (std::uint32_t node = 1; node < 5; ++node) {
      instance.coordinates[node] = {draw(10 * node, 40), draw(10 * node + 1, 40)};
      const double opens = draw(10 * node + 2, 100);
      instance.windows[node] = {opens, opens + draw(10 * node + 3, 60)};
      instance.service[node] = draw(10 * node + 4, 10);
    }
    std::vector<int> order{1, 2, 3, 4};
    do {
      const Solution solution{{{order[0], order[1], order[2]}, {order[3]}}};
      const bool expected = in_time(instance, solution.routes[0]) && in_time(instance, solution.routes[1]);
      ASSERT_EQ(verify(instance, solution).feasible, expected);
      ++(expected ? feasible : late);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(late, 100);
}

}  // namespace
}  // namespace neuopt
