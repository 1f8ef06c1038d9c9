#include "problem/validate.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "problem/generate.h"

namespace neuopt {
namespace {

/// Whoever has a window can be served all day.
void open_all_day(Instance& instance) {
  for (TimeWindow& window : instance.windows) window = {0, 100'000};
}

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
    const auto all_day = [&](auto change) {
      return finding(kind, [&](Instance& i) {
        open_all_day(i);
        change(i);
      });
    };
    EXPECT_EQ(all_day(as_matrix), "");
    EXPECT_EQ(all_day([](Instance& i) { i.metric = Metric::geo; }), "");
  }
  EXPECT_EQ(finding(ProblemKind::cvrp, [](Instance& i) { i.demand[3] = i.capacity; }), "");
  EXPECT_EQ(finding(ProblemKind::cvrp, [](Instance& i) { i.demand[3] = 0; }), "");
}

TEST(Validate, CountsNodesAsItIsTold) {
  Instance instance = generate_uniform(ProblemKind::tsp, 6, 1, 0);
  instance.fixed_edges = {{0, 1}, {1, 2}, {1, 3}};
  for (const int first : {0, 1}) {
    try {
      validate(instance, first);
      FAIL() << "three edges of a node";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "node " + std::to_string(first + 1) + " has three fixed edges, expected two at most");
    }
  }
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
  EXPECT_EQ(tsp([](Instance& i) { i.z = {1}; }), "1 third coordinates, expected 6") << "also where none are needed";
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

TEST(Validate, NamesWhatIsTooLargeToStayExact) {
  const auto tsp = [](auto change) { return finding(ProblemKind::tsp, change); };
  const auto vrptw = [](auto change) { return finding(ProblemKind::vrptw, change); };
  const std::string most = ", expected a magnitude of at most 1000000000000";
  EXPECT_EQ(tsp([](Instance& i) { i.coordinates[2].y = -magnitude_limit; }), "");
  EXPECT_EQ(tsp([](Instance& i) { i.coordinates[2].y = -2e150; }), "node 3: a coordinate of -2e+150" + most);
  EXPECT_EQ(tsp([](Instance& i) {
              as_matrix(i);
              i.matrix[6] = i.matrix[1] = 1e13;
            }),
            "node 2: a distance of 10000000000000" + most);
  EXPECT_EQ(vrptw([](Instance& i) { i.windows[2].closes = 1e20; }), "node 3: a time of 1e+20" + most);
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
  EXPECT_EQ(cvrp([](Instance& i) { i.capacity = 0; }), "capacity is 0, expected more than 0 and at most 1000000000000");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand.pop_back(); }), "6 demands, expected 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.depot = 7; }), "the depot is node 8, expected 1 to 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.depot = -1; }), "the depot is node 0, expected 1 to 7");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand[2] = -1; }), "node 3 has demand -1, expected 0 to 30, the capacity");
  EXPECT_EQ(cvrp([](Instance& i) { i.demand[2] = 31; }), "node 3 has demand 31, expected 0 to 30, the capacity");
  EXPECT_NE(cvrp([](Instance& i) { i.demand[2] = std::numeric_limits<double>::quiet_NaN(); }), "");
}

/// The readers refuse one too, and the search converts what it is given to whole numbers.
TEST(Validate, NamesADemandOfTheDepot) {
  const auto at_depot = [](double demand) {
    return finding(ProblemKind::cvrp, [&](Instance& i) { i.demand[0] = demand; });
  };
  EXPECT_EQ(at_depot(1e300), "node 1 has demand 1e+300, expected 0 at the depot");
  for (const double demand : {1.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) EXPECT_NE(at_depot(demand), "");
}

TEST(Validate, NamesWhatDoesNotExist) {
  const auto tsp = [](auto change) { return finding(ProblemKind::tsp, change); };
  EXPECT_EQ(tsp([](Instance& i) { i.kind = static_cast<ProblemKind>(7); }), "no problem has the number 7");
  EXPECT_EQ(tsp([](Instance& i) { i.kind = static_cast<ProblemKind>(-1); }), "no problem has the number -1");
  EXPECT_EQ(tsp([](Instance& i) { i.metric = static_cast<Metric>(99); }), "no metric has the number 99");
}

/// Customers on a line at 1 to 6, the depot at 0, whole distances, a day of 20.
void on_a_line(Instance& instance) {
  instance.metric = Metric::euc_2d;
  for (int node = 0; node < instance.size; ++node) {
    instance.coordinates[static_cast<std::size_t>(node)] = {static_cast<double>(node), 0};
    instance.windows[static_cast<std::size_t>(node)] = {0, 20};
    instance.service[static_cast<std::size_t>(node)] = node == 0 ? 0 : 2;
  }
}

TEST(Validate, NamesWhatIsWrongWithTimes) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto line = [](auto change) {
    return finding(ProblemKind::vrptw, [&](Instance& i) {
      on_a_line(i);
      change(i);
    });
  };
  EXPECT_EQ(line([](Instance&) {}), "");
  EXPECT_EQ(line([](Instance& i) { i.windows.pop_back(); }), "6 time windows, expected 7");
  EXPECT_EQ(line([](Instance& i) { i.service.pop_back(); }), "6 service times, expected 7");
  EXPECT_EQ(line([](Instance& i) {
              i.windows[2] = {6, 5};
            }),
            "node 3: the time window closes at 5, before it opens at 6");
  EXPECT_EQ(line([](Instance& i) { i.windows[2] = {0, nan}; }), "node 3: the time window is not finite");
  EXPECT_EQ(line([](Instance& i) { i.windows[0] = {0, infinity}; }), "node 1: the time window is not finite");
  EXPECT_EQ(line([](Instance& i) {
              i.windows[0] = {30, 20};
            }),
            "node 1: the time window closes at 20, before it opens at 30");
  EXPECT_EQ(line([](Instance& i) { i.service[0] = 1; }), "node 1: a service time of 1 at the depot, expected 0");
  EXPECT_EQ(line([](Instance& i) { i.service[2] = -1; }), "node 3: a service time of -1, expected 0 or more");
  EXPECT_EQ(line([](Instance& i) { i.service[2] = infinity; }), "node 3: a service time of inf, expected 0 or more");
  EXPECT_EQ(line([](Instance& i) { i.windows[6].closes = 6; }), "");
  EXPECT_EQ(line([](Instance& i) { i.windows[6].closes = 5; }),
            "node 7: the time window closes at 5, but a vehicle cannot be there before 6");
  EXPECT_EQ(line([](Instance& i) { i.service[6] = 8; }), "");
  EXPECT_EQ(line([](Instance& i) { i.service[6] = 9; }),
            "node 7: the depot closes at 20, but a vehicle that serves it cannot be back before 21");
  EXPECT_EQ(line([](Instance& i) {
              i.windows[6] = {13, 20};
            }),
            "node 7: the depot closes at 20, but a vehicle that serves it cannot be back before 21");
}

TEST(Validate, AllowsFractionsAMillionthOfTheDay) {
  const auto closing = [](double closes) {
    return finding(ProblemKind::vrptw, [&](Instance& i) {
      on_a_line(i);
      i.metric = Metric::unit;
      i.windows[6].closes = closes;
    });
  };
  EXPECT_EQ(closing(6), "");
  EXPECT_EQ(closing(6 - 1e-5), "");
  EXPECT_NE(closing(6 - 4e-5), "");
}

}  // namespace
}  // namespace neuopt
