#include "io/solution_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "io/text_samples.h"
#include "io/tsplib.h"

namespace neuopt {
namespace {

using Routes = std::vector<std::vector<int>>;

Instance vrp(int depot) {
  Instance instance = parse_instance(samples::vrp(), "file");
  instance.depot = depot;
  return instance;
}

Instance tsp() { return parse_instance(samples::tsp("EUC_2D", samples::plane), "file"); }

std::string error_of(const std::string& text, const Instance& instance) {
  try {
    parse_solution(text, "file", instance);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SolutionFile, ReadsATourInTheFormOfRoutes) {
  Instance instance;
  instance.size = 4;
  const SolutionFile file = parse_solution("Route #1: 1 3 2 4\nCost 12\n", "t", instance);
  EXPECT_EQ(file.solution.routes, (std::vector<std::vector<int>>{{0, 2, 1, 3}}));
  EXPECT_EQ(file.cost, 12);
  EXPECT_THROW(parse_solution("Route #1: 0 1 2 3\n", "t", instance), InputError);
}

TEST(SolutionFile, CustomersAreNumberedWithoutTheDepot) {
  EXPECT_EQ(parse_solution(samples::routes, "file", vrp(0)).solution.routes, (Routes{{1, 2}, {3}}));
  EXPECT_EQ(parse_solution(samples::routes, "file", vrp(1)).solution.routes, (Routes{{0, 2}, {3}}));
  EXPECT_EQ(parse_solution(samples::routes, "file", vrp(3)).solution.routes, (Routes{{0, 1}, {2}}));
  EXPECT_EQ(parse_solution(samples::routes, "file", vrp(0)).cost, 41.5);
}

TEST(SolutionFile, SpellingsOfRoutes) {
  for (const std::string text :
       {"Route #1: 1 2\r\nRoute #2: 3\r\ncost 41.5\r\n", "route 1 : 1\t2\nROUTE# 2:3\nCost: 41.5",
        "\n  Route #9:1 2\n\n Route #9: 3 \nCost : 41.5\nTime 3 s\n"}) {
    const SolutionFile file = parse_solution(text, "file", vrp(0));
    EXPECT_EQ(file.solution.routes, (Routes{{1, 2}, {3}})) << text;
    EXPECT_EQ(file.cost, 41.5) << text;
  }
  const SolutionFile file = parse_solution("Route #1:\nRoute #2: 1 1 1 1 1\n", "file", vrp(0));
  EXPECT_EQ(file.solution.routes, (Routes{{}, {1, 1, 1, 1, 1}}));
  EXPECT_FALSE(file.cost);
}

TEST(SolutionFile, ReadsTours) {
  for (const std::string& text : {samples::tour, std::string("1 3 2 4"), std::string("1\n3\n2\n4\n-1\n-1\n"),
                                  std::string("NAME : x\nTOUR_SECTION :\n 1 3\r\n2 4\nEOF\n")}) {
    EXPECT_EQ(parse_solution(text, "file", tsp()).solution.routes, (Routes{{0, 2, 1, 3}})) << text;
  }
}

TEST(SolutionFile, KeywordsOfToursMayBeOfEitherCase) {
  const std::string tour =
      "name: small\nComment: Length = 30\nType: Tour\ndimension: 4\ntour_section\n1\n3\n2\n4\n-1\neof\n";
  std::vector<std::string> warnings;
  const auto sink = [&](const std::string& warning) { warnings.push_back(warning); };
  const SolutionFile file = parse_solution(tour, "file", tsp(), sink);
  EXPECT_EQ(file.solution.routes, (Routes{{0, 2, 1, 3}}));
  EXPECT_EQ(file.cost, 30);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_EQ(error_of("Type: tsp\n", tsp()), "file:1: expected TYPE TOUR, found 'tsp'");
  EXPECT_NE(error_of("dimension: 5\n", tsp()), "");
}

TEST(SolutionFile, CostOfATourStandsInItsComment) {
  const auto cost = [](const std::string& comment) {
    return parse_solution("COMMENT : " + comment + "\nTOUR_SECTION\n1\n", "file", tsp()).cost;
  };
  EXPECT_EQ(parse_solution(samples::tour, "file", tsp()).cost, 30);
  EXPECT_EQ(cost("Length = 12.5, found today"), 12.5);
  EXPECT_EQ(cost("Optimal tour for small (30)"), 30);
  EXPECT_EQ(cost("Optimal tour (by hand)"), std::nullopt);
  EXPECT_EQ(cost(")"), std::nullopt);
  EXPECT_EQ(cost("30"), std::nullopt);
}

TEST(SolutionFile, ErrorsNameFileLineAndExpectation) {
  EXPECT_EQ(error_of("Route #1: 1 4\n", vrp(0)), "file:1: expected a customer, an integer from 1 to 3, found '4'");
  EXPECT_EQ(error_of("Route #1: 0\n", vrp(0)), "file:1: expected a customer, an integer from 1 to 3, found '0'");
  EXPECT_EQ(error_of("Route #1 1 2\n", vrp(0)), "file:1: expected ':' in this line");
  EXPECT_EQ(error_of("Route x: 1\n", vrp(0)), "file:1: expected the number of a route before the colon, found 'x'");
  EXPECT_EQ(error_of("Cost 1\nCost 2\n", vrp(0)), "file:2: the cost is given twice");
  EXPECT_EQ(error_of("Route #1:\n", tsp()), "file:1: an empty route, expected a tour of node numbers");
  EXPECT_NE(error_of("Cost inf\n", vrp(0)), "");
  EXPECT_NE(error_of("", vrp(0)), "");
  EXPECT_NE(error_of("1 2 3\n", vrp(0)), "");
  EXPECT_EQ(error_of("TOUR_SECTION\n1\n5\n", tsp()),
            "file:3: expected a node number, an integer from 1 to 4, found '5'");
  EXPECT_EQ(error_of("TYPE: TSP\n", tsp()), "file:1: expected TYPE TOUR, found 'TSP'");
  EXPECT_NE(error_of("DIMENSION: 5\n", tsp()), "");
  EXPECT_NE(error_of("1 2 -1 3 4 -1\n", tsp()), "");
  EXPECT_NE(error_of("1\nTOUR_SECTION\n1\n", tsp()), "");
  EXPECT_NE(error_of("NAME: x\n", tsp()), "");
  EXPECT_NE(error_of("", tsp()), "");
}

TEST(SolutionFile, UnknownKeywordsWarnOnce) {
  std::vector<std::string> warnings;
  const auto sink = [&](const std::string& warning) { warnings.push_back(warning); };
  parse_solution("Time 3\nTime 4\nRoute #1: 1\n", "file", vrp(0), sink);
  EXPECT_EQ(warnings, std::vector<std::string>{"file:1: the keyword 'Time' is not known and ignored"});
}

TEST(SolutionFile, WritesWhatItReads) {
  for (int depot = 0; depot < 4; ++depot) {
    const Instance instance = vrp(depot);
    const SolutionFile file = parse_solution(samples::routes, "file", instance);
    EXPECT_EQ(write_solution(instance, file.solution, *file.cost), samples::routes);
  }
  const Solution tour{{{3, 1, 0, 2}}};
  const SolutionFile file = parse_solution(write_solution(tsp(), tour, 1e7 + 0.1), "file", tsp());
  EXPECT_EQ(file.solution.routes, tour.routes);
  EXPECT_EQ(file.cost, 1e7 + 0.1);
  EXPECT_EQ(write_solution(vrp(0), {{{}, {3}, {}}}, 2), "Route #1: 3\nCost 2\n");
}

TEST(SolutionFile, RefusesToWriteNonsense) {
  EXPECT_THROW(write_solution(vrp(1), {{{1}}}, 0), InputError);
  EXPECT_THROW(write_solution(vrp(1), {{{4}}}, 0), InputError);
  EXPECT_THROW(write_solution(tsp(), {{{-1}}}, 0), InputError);
  EXPECT_THROW(write_solution(tsp(), {{{0}, {1}}}, 0), InputError);
}

}  // namespace
}  // namespace neuopt
