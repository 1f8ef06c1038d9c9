// Files with time windows: VRPLIB's sections, Solomon's tables, arrays of sets.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "instance_error.h"
#include "io/instance_set.h"
#include "io/npz.h"
#include "io/solomon.h"
#include "io/solution_file.h"
#include "io/test_set.h"
#include "io/text_samples.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "problem/rounding.h"
#include "problem/verify.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace neuopt {
namespace {

using test::instance_error;
using test::replaced;

Metric metric_of(const std::string& text, std::optional<Metric> rounding = {}) {
  return parse_instance(text, "file", {}, {.rounding = rounding}).metric;
}

TEST(TimeWindows, ReadsVrplibSections) {
  const Instance instance = parse_instance(samples::vrptw(), "file");
  EXPECT_EQ(instance.kind, ProblemKind::vrptw);
  EXPECT_EQ(instance.vehicles, 3);
  EXPECT_EQ(instance.depot, 1);
  EXPECT_EQ(instance.service, (std::vector{2.5, 0.0, 2.5, 2.5})) << "SERVICE_TIME is that of customers";
  ASSERT_EQ(instance.windows.size(), 4u);
  EXPECT_EQ(instance.windows[1].opens, 5);
  EXPECT_EQ(instance.windows[2].closes, 30.5);
  const Instance single = parse_instance(replaced(replaced(samples::vrptw(), "SERVICE_TIME : 2.5\n", ""), "TIME_WINDOW",
                                                  "SERVICE_TIME_SECTION\n1 1\n2 0\n4 2\n3 1.5\nTIME_WINDOW"),
                                         "file");
  EXPECT_EQ(single.service, (std::vector{1.0, 0.0, 1.5, 2.0}));
  EXPECT_EQ(parse_instance(replaced(samples::vrptw(), "SERVICE_TIME : 2.5\n", ""), "file").service,
            std::vector<double>(4, 0));
}

TEST(TimeWindows, TheSectionMakesAVrptwOfACvrp) {
  EXPECT_EQ(parse_instance(samples::vrptw("CVRP"), "file").kind, ProblemKind::vrptw);
  EXPECT_EQ(metric_of(samples::vrptw("CVRP")), Metric::euc_2d) << "integers there";
  EXPECT_EQ(metric_of(samples::vrptw("VRPTW")), Metric::dimacs_2d) << "tenths here";
  EXPECT_NE(
      instance_error(replaced(samples::vrp(), "TYPE : CVRP", "TYPE : VRPTW")).find("expected TIME_WINDOW_SECTION"),
      std::string::npos);
  const std::string section = "SERVICE_TIME_SECTION\n1 1\n2 0\n3 1\n4 1\nDEPOT_SECTION";
  for (const std::string& text : {replaced(samples::vrp(), "CAPACITY", "SERVICE_TIME : 3\nCAPACITY"),
                                  replaced(samples::vrp(), "DEPOT_SECTION", section)})
    EXPECT_NE(instance_error(text).find("without a TIME_WINDOW_SECTION"), std::string::npos) << instance_error(text);
  EXPECT_NO_THROW(parse_instance(replaced(samples::vrp(), "CAPACITY", "SERVICE_TIME : 0\nCAPACITY"), "file"));
  EXPECT_NE(instance_error(samples::vrptw("TSP")), "");
}

TEST(TimeWindows, EveryRoundingCanBeWrittenBack) {
  for (const std::string& text : {samples::vrptw(), samples::vrptw("CVRP"), samples::solomon(), samples::vrp(),
                                  samples::tsp("EUC_2D", samples::plane)})
    for (const Rounding& rounding : kRoundings) {
      const Instance instance = parse_instance(text, "file", {}, {.rounding = rounding.metric});
      EXPECT_EQ(instance.metric, rounding.metric);
      EXPECT_EQ(parse_rounding(rounding_name(instance.metric)), instance.metric);
      const std::string written = write_instance(instance);
      const Instance again = parse_instance(written, "file");
      EXPECT_EQ(again.metric, rounding.metric) << written;
      EXPECT_EQ(again.kind, instance.kind);
      EXPECT_EQ(write_instance(again), written);
    }
  EXPECT_EQ(parse_rounding("up"), std::nullopt);
  EXPECT_EQ(rounding_name(Metric::ceil_2d), "");
}

TEST(TimeWindows, RoundingIsForEuclideanFiles) {
  EXPECT_EQ(metric_of(samples::vrptw("VRPTW", "FLOOR_2D"), Metric::floor_2d), Metric::floor_2d);
  EXPECT_EQ(instance_error(samples::vrptw("VRPTW", "CEIL_2D"), {.rounding = Metric::unit}),
            "file: rounding none is for distances of type EUC_2D, found CEIL_2D");
  EXPECT_NE(instance_error(samples::vrptw("VRPTW", "EXACT_2D"), {.rounding = Metric::dimacs_2d}), "");
}

TEST(TimeWindows, VehiclesAreBoundedByHand) {
  EXPECT_EQ(parse_instance(samples::vrptw(), "file", {}, {.vehicles = 2}).vehicles, 2);
  EXPECT_EQ(parse_instance(samples::solomon(), "file", {}, {.vehicles = 2}).vehicles, 2);
  EXPECT_EQ(instance_error(samples::tsp("EUC_2D", samples::plane), {.vehicles = 2}),
            "file: a bound on the vehicles is given, but a TSP has none");
}

TEST(TimeWindows, ReadsSolomonsTables) {
  const Instance instance = parse_instance(samples::solomon(), "file");
  EXPECT_EQ(instance.kind, ProblemKind::vrptw);
  EXPECT_EQ(instance.name, "market");
  EXPECT_EQ(instance.metric, Metric::dimacs_2d);
  EXPECT_EQ(instance.vehicles, 3);
  EXPECT_EQ(instance.capacity, 10);
  EXPECT_EQ(instance.size, 4);
  EXPECT_EQ(instance.depot, 0);
  EXPECT_EQ(instance.demand, (std::vector<double>{0, 3, 4, 5}));
  EXPECT_EQ(instance.service, (std::vector{0.0, 2.5, 2.5, 2.5}));
  EXPECT_EQ(instance.coordinates[2].y, -2.25);
  EXPECT_EQ(instance.windows[2].closes, 30.5);
  EXPECT_EQ(instance.distance(0, 2), 9.7) << "sqrt(95.3125), cut after one decimal";
  std::string windows_text;
  for (const char c : samples::solomon()) windows_text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(write_instance(parse_instance(windows_text, "file")), write_instance(instance));
  EXPECT_EQ(parse_instance(samples::solomon().substr(7), "file").name, "") << "a file without its name";
}

TEST(TimeWindows, WritesSolomonsTables) {
  const Instance instance = parse_instance(samples::solomon(), "file");
  const std::string written = write_solomon(instance);
  EXPECT_EQ(write_instance(parse_instance(written, "file")), write_instance(instance));
  const Instance elsewhere = parse_instance(samples::vrptw(), "file");  // the depot is its second node
  EXPECT_EQ(write_solomon(elsewhere), written);
  for (const char* name : {"a town", "", "VEHICLE", "VEHICLE park", "\xEF\xBB\xBFtown", " town"}) {
    Instance named = instance;
    named.name = name;
    const Instance again = parse_instance(write_solomon(named), "file");
    EXPECT_EQ(again.name, named.name == "a town" ? "a town" : "") << name;
    EXPECT_EQ(again.vehicles, instance.vehicles);
  }
  EXPECT_THROW(write_solomon(parse_instance(samples::vrptw("CVRP"), "file")), InputError);
  EXPECT_THROW(write_solomon(parse_instance(samples::vrp(), "file")), InputError);
}

TEST(TimeWindows, RefusalsNameTheLine) {
  const std::string vrp = samples::vrptw();  // windows in lines 19 to 22, demands in 14 to 17
  const auto refusal = [&](const std::string& from, const std::string& to) {
    return instance_error(replaced(vrp, from, to));
  };
  EXPECT_EQ(refusal("1 10 20", "1 20 10"), "file:19: the time window closes at 10, before it opens at 20");
  EXPECT_EQ(refusal("1 10 20", "1 5 9.9"),
            "file:19: node 1: the time window closes at 9.9, but a vehicle cannot be there before 10");
  EXPECT_EQ(refusal("1 10 20", "1 55 60"),
            "file:19: node 1: the depot closes at 60, but a vehicle that serves it cannot be back before 62.5");
  EXPECT_EQ(refusal("1 10 20", "1 5"), "file:19: expected the time when the window closes, found the end of the line");
  EXPECT_EQ(refusal("4 5\nTIME", "4 11\nTIME"), "file:17: node 4: a demand of 11, above the capacity 10");
  EXPECT_EQ(refusal("SERVICE_TIME : 2.5", "SERVICE_TIME : -1").substr(0, 7), "file:6:");
  EXPECT_EQ(refusal("SERVICE_TIME : 2.5", "SERVICE_TIME_SECTION\n1 1\n2 3\n3 1\n4 1"),
            "file:8: node 2: a service time of 3 at the depot, expected 0");
  EXPECT_EQ(refusal("TIME_WINDOW_SECTION", "SERVICE_TIME_SECTION\n1 1\n2 3\n3 1\n4 1\nTIME_WINDOW_SECTION"),
            "file:18: SERVICE_TIME and SERVICE_TIME_SECTION were both given, expected one of them");
}

TEST(TimeWindows, SolomonRefusalsNameTheLine) {
  const std::string text = samples::solomon();  // rows in lines 10 to 13
  const auto refusal = [&](const std::string& from, const std::string& to) {
    return instance_error(replaced(text, from, to));
  };
  EXPECT_EQ(refusal("10   20   2.5", "20   10   2.5"), "file:11: the time window closes at 10, before it opens at 20");
  EXPECT_EQ(refusal("10   20   2.5", "5    9    2.5"),
            "file:11: customer 1: the time window closes at 9, but a vehicle cannot be there before 10");
  EXPECT_EQ(refusal("4   0   30.5 2.5", "14   0   30.5 2.5"),
            "file:12: customer 2: a demand of 14, above the capacity 10");
  EXPECT_EQ(refusal("4   0   30.5 2.5", "4   0   30.5 -2"),
            "file:12: expected a service time, a number from 0 to 1e+12, found '-2'");
  EXPECT_EQ(refusal("60   0\n", "60   1\n"), "file:10: customer 0: a service time of 1 at the depot, expected 0");
  EXPECT_EQ(refusal("  2  10.5", "  5  10.5"), "file:12: expected customer 2, an integer from 2 to 2, found '5'");
  EXPECT_EQ(refusal("CUSTOMER\n", "CLIENT\n").substr(0, 7), "file:7:");
  EXPECT_EQ(refusal("  3         10", "  0         10").substr(0, 7), "file:5:");
}

TEST(TimeWindows, FoldersPassOverTextThatIsNoInstance) {
  const test::TemporaryFolder folder;
  write_file(folder / "b.txt", samples::solomon());
  write_file(folder / "a.vrp", samples::vrptw());
  write_file(folder / "optimal.txt", "# best known\nC101 827.3\n");
  const std::string path = folder.path();
  const InstanceSet set = read_instances({&path, 1}, 0, {}, {.vehicles = 7});
  ASSERT_EQ(set.instances.size(), 2u);
  EXPECT_EQ(set.instances[0].depot, 1);
  EXPECT_EQ(set.instances[1].depot, 0);
  EXPECT_EQ(set.instances[1].vehicles, 7);
  const std::string alone = folder / "b.txt";
  EXPECT_FALSE(read_instances({&alone, 1}).is_set);
}

TEST(TimeWindows, SetsRoundTrip) {
  std::vector<Instance> instances;
  for (std::uint64_t index = 0; index < 3; ++index)
    instances.push_back(generate_uniform(ProblemKind::vrptw, 10, 1, index));
  const std::vector<Instance> again = parse_test_set(format_test_set(instances), "set.npz");
  ASSERT_EQ(again.size(), 3u);
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].kind, ProblemKind::vrptw);
    EXPECT_EQ(again[i].service, instances[i].service);
    for (std::size_t node = 0; node < 11; ++node) {
      EXPECT_EQ(again[i].windows[node].opens, instances[i].windows[node].opens);
      EXPECT_EQ(again[i].windows[node].closes, instances[i].windows[node].closes);
    }
  }
  const NpzFile npz = NpzFile::parse(format_test_set(instances), "set.npz");
  EXPECT_EQ(npz.tensor("time_windows").shape, (Shape{3, 11, 2}));
  EXPECT_EQ(npz.tensor("service_time").shape, (Shape{3, 10}));
}

/// The message of reading a set of one instance after a change of its arrays.
template <typename Change>
std::string set_error(Change change) {
  NamedTensors tensors;
  tensors["locs"] = Tensor({1, 2, 2}, std::vector<float>{0.5f, 0, 1, 0});
  tensors["depot"] = Tensor({1, 2}, std::vector<float>{0, 0});
  tensors["demand"] = Tensor({1, 2}, std::vector<float>{1, 1});
  tensors["capacity"] = Tensor({}, std::vector<float>{2});
  tensors["time_windows"] = Tensor({1, 3, 2}, std::vector<double>{0, 4, 0, 4, 1, 3});
  tensors["service_time"] = Tensor({1, 2}, std::vector<double>{0, 0});
  change(tensors);
  try {
    parse_test_set(format_npz(tensors), "set");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(TimeWindows, RefusalsOfSetsNameTheInstance) {
  EXPECT_EQ(set_error([](NamedTensors&) {}), "");
  EXPECT_EQ(set_error([](NamedTensors& t) { t.erase("service_time"); }), "");
  EXPECT_EQ(set_error([](NamedTensors& t) { t.erase("time_windows"); }), "set: service_time without time_windows");
  EXPECT_EQ(set_error([](NamedTensors& t) {
              for (const char* name : {"depot", "demand", "capacity"}) t.erase(name);
            }),
            "set: time_windows without depot, demand and capacity");
  EXPECT_EQ(set_error([](NamedTensors& t) {
              t["service_time"] = Tensor({1, 2}, std::vector<double>{0, -1});
            }),
            "set: instance 0: node 2: a service time of -1, expected 0 or more");
  EXPECT_EQ(set_error([](NamedTensors& t) {
              t["service_time"] = Tensor({1, 2}, std::vector<double>{0, 2.5});
            }),
            "set: instance 0: node 2: the depot closes at 4, but a vehicle that serves it cannot be back before 4.5");
  EXPECT_EQ(set_error([](NamedTensors& t) {
              t["time_windows"] = Tensor({1, 3, 2}, std::vector<double>{0, 4, 0, 4, 1, 0.5});
            }),
            "set: instance 0: node 2: the time window closes at 0.5, before it opens at 1");
  EXPECT_EQ(set_error([](NamedTensors& t) {
              t["time_windows"] = Tensor({1, 2, 2}, std::vector<double>{0, 4, 0, 4});
            }),
            "set: time_windows has shape (1,2,2), expected (1,3,2)");
}

TEST(TimeWindows, StatedCostsOfTheLibraryAreExact) {
  const std::string folder = std::string(NEUOPT_SHARED) + "/instances/vrptw";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no instances here";
  EXPECT_EQ(read_instances({&folder, 1}).instances.size(), 31u);
  for (const std::string name : {"C1_10_2", "R1_10_3", "RC2_10_5"}) {
    const Instance instance = read_instance_file(folder + "/" + name + ".vrp");
    const SolutionFile best = read_solution_file(folder + "/" + name + ".sol", instance);
    const Verdict verdict = verify(instance, best.solution);
    EXPECT_TRUE(verdict.feasible) << name;
    EXPECT_EQ(verdict.cost, best.cost) << name;
  }
}

TEST(TimeWindows, ReadsTheSharedSets) {
  const std::string path = std::string(NEUOPT_SHARED) + "/datasets/vrptw50.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no sets here";
  const std::vector<Instance> set = read_test_set(path);
  EXPECT_EQ(set.size(), 60u);
  for (const Instance& instance : set) {
    EXPECT_EQ(instance.kind, ProblemKind::vrptw);
    EXPECT_TRUE(diagnose(instance).solvable);
    EXPECT_TRUE(instance.reference_cost);
  }
}

}  // namespace
}  // namespace neuopt
