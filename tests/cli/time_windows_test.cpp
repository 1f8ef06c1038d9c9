// The commands on instances with time windows: files, roundings, vehicles, schedules.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/text_samples.h"
#include "io/tsplib.h"
#include "problem/schedule.h"
#include "problem/verify.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace neuopt {
namespace {

using test::has;
using test::Outcome;
using test::run_program;
using test::TemporaryFolder;
using Json = nlohmann::json;

/// A folder with a small instance in Solomon's form.
struct WindowFiles {
  TemporaryFolder folder;

  WindowFiles() { write_file(folder / "market.txt", samples::solomon()); }
  std::string path(const std::string& name) const { return folder / name; }
  Outcome run(const std::string& command, const std::string& options) const {
    return run_program(command + " " + path("market.txt") + " " + options);
  }
};

/// The schedule says what the routes and the instance say.
void expect_schedule(const Instance& instance, const Json& answer) {
  const Scheduler scheduler(instance);
  ASSERT_EQ(answer["schedule"].size(), answer["routes"].size());
  for (std::size_t route = 0; route < answer["routes"].size(); ++route) {
    const std::vector<int> customers = answer["routes"][route];
    const RouteSchedule day = scheduler.schedule(customers);
    const Json& given = answer["schedule"][route];
    EXPECT_EQ(given["departure"], day.departure);
    EXPECT_EQ(given["back"], day.back);
    ASSERT_EQ(given["stops"].size(), customers.size());
    double load = 0;
    for (std::size_t stop = 0; stop < customers.size(); ++stop) {
      const Json& at = given["stops"][stop];
      load += instance.demand[static_cast<std::size_t>(customers[stop])];
      EXPECT_EQ(at["customer"], customers[stop]);
      EXPECT_EQ(at["arrival"], day.stops[stop].arrival);
      EXPECT_EQ(at["start"], day.stops[stop].start);
      EXPECT_EQ(at["departure"], day.stops[stop].departure);
      EXPECT_EQ(at["wait"], day.stops[stop].wait);
      EXPECT_EQ(at["load"], load);
    }
  }
}

TEST(TimeWindowCommands, SolveGivesTheScheduleAndTheRounding) {
  const WindowFiles files;
  const Outcome outcome = files.run("solve", "--json --output " + files.path("out.sol"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const Json answer = Json::parse(outcome.output);
  EXPECT_EQ(answer["problem"], "vrptw");
  EXPECT_EQ(answer["rounding"], "dimacs");
  expect_schedule(read_instance_file(files.path("market.txt")), answer);
  const Outcome verdict = files.run("verify", files.path("out.sol"));
  EXPECT_EQ(verdict.code, 0) << verdict.output;
  EXPECT_TRUE(has(verdict.output, "rounding dimacs")) << verdict.output;
}

TEST(TimeWindowCommands, RoundingIsTheCallers) {
  const WindowFiles files;
  for (const std::string rounding : {"none", "round", "trunc", "dimacs"}) {
    const Outcome outcome = files.run("solve", "--json --rounding " + rounding + " --output " + files.path("out.sol"));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(Json::parse(outcome.output)["rounding"], rounding);
    EXPECT_EQ(files.run("verify", files.path("out.sol") + " --rounding " + rounding).code, 0);
  }
  EXPECT_EQ(files.run("solve", "--rounding up").code, 2);
}

TEST(TimeWindowCommands, EveryResultOfASetNamesItsRounding) {
  const TemporaryFolder folder;
  const std::string whole = folder / "a.vrp", tenths = folder / "b.vrp", lines = folder / "lines";
  write_file(whole, samples::vrptw("CVRP"));
  write_file(tenths, samples::vrptw("VRPTW"));
  const Outcome solved =
      run_program("solve " + whole + " " + tenths + " --policy none --steps 5 --json --output " + lines);
  ASSERT_EQ(solved.code, 0) << solved.errors;
  EXPECT_EQ(Json::parse(solved.output)["rounding"], "mixed");
  std::istringstream text(read_file(lines));
  for (const std::string rounding : {"round", "dimacs"}) {
    std::string line;
    ASSERT_TRUE(std::getline(text, line));
    EXPECT_EQ(Json::parse(line)["rounding"], rounding);
  }
}

TEST(TimeWindowCommands, VehiclesAreBoundedByHand) {
  const WindowFiles files;
  write_file(files.path("two.sol"), "Route #1: 1 2\nRoute #2: 3\n");
  EXPECT_EQ(files.run("verify", files.path("two.sol")).code, 0);
  const Outcome outcome = files.run("verify", files.path("two.sol") + " --vehicles 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.output, "2 routes, 1 more than there are vehicles")) << outcome.output;
  EXPECT_EQ(files.run("solve", "--vehicles 0").code, 2);
}

TEST(TimeWindowCommands, VerifyNamesWhoIsLate) {
  const WindowFiles files;
  write_file(files.path("late.sol"), "Route #1: 3 1\nRoute #2: 2\n");
  const Outcome outcome = files.run("verify", files.path("late.sol") + " --json");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  const Json answer = Json::parse(outcome.output);
  ASSERT_EQ(answer["late"].size(), 1u);
  EXPECT_EQ(answer["late"][0]["route"], 1);
  EXPECT_EQ(answer["late"][0]["customer"], 1);
  EXPECT_EQ(answer["late"][0]["by"], answer["schedule"][0]["stops"][1]["late"]);
  const Outcome text = files.run("verify", files.path("late.sol"));
  EXPECT_TRUE(has(text.output, "customer 1 late by 7.3 (route 1 is there at 27.3, the window closes at 20)"))
      << text.output;
  EXPECT_EQ(files.run("draw", files.path("late.sol") + " --output " + files.path("late.svg")).code, 1);
  EXPECT_TRUE(has(read_file(files.path("late.svg")), "class=\"late\""));
}

TEST(TimeWindowCommands, StartWritesAFeasibleSolution) {
  const WindowFiles files;
  for (const std::string method : {"auto", "random"}) {
    const Outcome outcome = files.run("start", "--method " + method + " --output " + files.path("start.sol"));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(files.run("verify", files.path("start.sol")).code, 0);
  }
}

TEST(TimeWindowCommands, GeneratedSetsAreSolvedAndEvaluated) {
  const TemporaryFolder folder;
  for (const std::string shape : {"", "--shaped "}) {
    const std::string set = folder / "set.npz", lines = folder / "lines";
    ASSERT_EQ(run_program("generate vrptw --size 12 --count 3 --seed 4 " + shape + "--output " + set).code, 0);
    const Outcome solved = run_program("solve " + set + " --policy none --steps 20 --json --output " + lines);
    ASSERT_EQ(solved.code, 0) << solved.errors;
    EXPECT_EQ(Json::parse(solved.output)["rounding"], "none");
    std::istringstream text(read_file(lines));
    const std::vector<Instance> instances = read_test_set(set);
    std::size_t count = 0;
    for (std::string line; std::getline(text, line); ++count) expect_schedule(instances[count], Json::parse(line));
    EXPECT_EQ(count, 3u);
    const Outcome outcome = run_program("eval " + set + " --policy none --steps 20 --json");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(Json::parse(outcome.output)["problem"], "vrptw");
  }
  const std::string town = folder / "town.vrp";
  ASSERT_EQ(run_program("generate vrptw --size 15 --shaped --output " + town).code, 0);
  EXPECT_EQ(read_instance_file(town).kind, ProblemKind::vrptw);
}

TEST(TimeWindowCommands, LogsHaveTheTimesOfEveryNode) {
  const WindowFiles files;
  const Instance instance = read_instance_file(files.path("market.txt"));
  ASSERT_EQ(files.run("solve", "--trace " + files.path("log")).code, 0);
  const std::string log = read_file(files.path("log"));
  const Json header = Json::parse(log.substr(0, log.find('\n')));
  EXPECT_EQ(header["rounding"], "dimacs");
  const std::size_t nodes = header["nodes"], last = nodes - 1;
  ASSERT_EQ(header["windows"].size(), nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t node = header["node_of"][i];
    EXPECT_EQ(header["windows"][i][1], instance.windows[node].closes);
    EXPECT_EQ(header["service"][i], instance.service[node]);
  }
  const auto place = [&](const char* axis, std::size_t i) { return header[axis][i].get<double>(); };
  const double length = std::hypot(place("x", 0) - place("x", last), place("y", 0) - place("y", last));
  EXPECT_NEAR(length * header["side"].get<double>(), std::hypot(7, 3), 1e-4) << "from the depot to the last customer";
}

TEST(TimeWindowCommands, WhatCannotBeServedIsRefusedWithItsLine) {
  const WindowFiles files;
  std::string text = samples::solomon();
  text.replace(text.find("10   20   2.5"), 13, "5    9    2.5");
  write_file(files.path("market.txt"), text);
  const Outcome outcome = files.run("solve", "");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.errors, "market.txt:11: customer 1: the time window closes at 9")) << outcome.errors;
  EXPECT_EQ(files.run("solve", "--rounding trunc").code, 2);
}

}  // namespace
}  // namespace neuopt
