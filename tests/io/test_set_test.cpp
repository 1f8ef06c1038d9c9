#include "io/test_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "binary_samples.h"
#include "io/npz.h"
#include "same_instance.h"

namespace neuopt {
namespace {

/// A CVRP set of two instances with three customers each.
NamedTensors cvrp_arrays() {
  return {{"locs", Tensor({2, 3, 2}, std::vector<float>{0, 0, 0, 1, 1, 0, .5, .5, .25, .25, .75, .75})},
          {"depot", Tensor({2, 2}, std::vector<float>{.5, 0, 0, .5})},
          {"demand", Tensor({2, 3}, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6})},
          {"capacity", Tensor({2}, std::vector<std::int32_t>{6, 7})}};
}

std::string error_with(const std::string& name, const Tensor& tensor) {
  NamedTensors arrays = cvrp_arrays();
  arrays[name] = tensor;
  return input_error([&] { parse_test_set(format_npz(arrays), "SET.npz"); });
}

void expect_same_entry(const Instance& a, const Instance& b) {
  test::expect_same_problem(a, b);
  EXPECT_EQ(a.reference_cost, b.reference_cost);
}

TEST(TestSet, ReadsAnNpzOfCvrp) {
  NamedTensors arrays = cvrp_arrays();
  arrays["cost"] = Tensor({2}, std::vector<double>{3.5, 4.5});
  const std::vector<Instance> set = parse_test_set(format_npz(arrays), "folder/SET.npz");
  ASSERT_EQ(set.size(), 2u);
  const Instance& second = set[1];
  EXPECT_EQ(second.kind, ProblemKind::cvrp);
  EXPECT_EQ(second.name, "SET#1");
  EXPECT_EQ(second.metric, Metric::unit);
  EXPECT_EQ(second.size, 4);
  EXPECT_EQ(second.coordinates[0].y, .5);
  EXPECT_EQ(second.coordinates[3].x, .75);
  EXPECT_EQ(second.demand, (std::vector<double>{0, 4, 5, 6}));
  EXPECT_EQ(second.capacity, 7);
  EXPECT_EQ(second.reference_cost, 4.5);
}

TEST(TestSet, OneCapacityServesAll) {
  NamedTensors arrays = cvrp_arrays();
  arrays["capacity"] = Tensor({}, std::vector<float>{9});
  EXPECT_EQ(parse_test_set(format_npz(arrays), "x")[1].capacity, 9);
  arrays["capacity"] = Tensor({2, 1}, std::vector<float>{8, 9});
  EXPECT_EQ(parse_test_set(format_npz(arrays), "x")[1].capacity, 9);
}

TEST(TestSet, RefusesDemandsThatWereDividedByTheCapacity) {
  const Tensor divided({2, 3}, std::vector<float>{.1F, .2F, .3F, .4F, .5F, .6F});
  EXPECT_NE(error_with("demand", divided).find("divided by the capacity, which must then be 1"), std::string::npos);
  NamedTensors arrays = cvrp_arrays();
  arrays["demand"] = divided;
  arrays["capacity"] = Tensor({}, std::vector<float>{1});
  EXPECT_EQ(parse_test_set(format_npz(arrays), "x")[1].capacity, 1);
}

TEST(TestSet, SurvivesARoundTrip) {
  std::vector<Instance> set = parse_test_set(format_npz(cvrp_arrays()), "x");
  for (Instance& instance : set) instance.reference_cost = 2.25;
  const std::string bytes = format_test_set(set);
  EXPECT_EQ(NpzFile::parse(bytes, "x").tensor("demand").dtype, DType::i32);
  const std::vector<Instance> copy = parse_test_set(bytes, "x");
  ASSERT_EQ(copy.size(), set.size());
  for (std::size_t i = 0; i < set.size(); ++i) expect_same_entry(copy[i], set[i]);

  set[0].demand[1] = 0.5;
  EXPECT_EQ(parse_test_set(format_test_set(set), "x")[0].demand[1], 0.5) << "demands that are not integers are kept";
}

TEST(TestSet, ADepotInTheMiddleIsWrittenFirst) {
  Instance instance = parse_test_set(format_npz(cvrp_arrays()), "x")[0];
  std::swap(instance.coordinates[0], instance.coordinates[2]);
  std::swap(instance.demand[0], instance.demand[2]);
  instance.depot = 2;
  const Instance copy = parse_test_set(format_test_set({instance}), "x")[0];
  EXPECT_EQ(copy.depot, 0);
  EXPECT_EQ(copy.coordinates[0].x, .5);
  EXPECT_EQ(copy.demand, (std::vector<double>{0, 2, 1, 3}));
}

TEST(TestSet, RefusesToWriteAMixedSet) {
  std::vector<Instance> set = parse_test_set(format_npz(cvrp_arrays()), "x");
  EXPECT_THROW(format_test_set({}), InputError);
  set[1].metric = Metric::euc_2d;
  EXPECT_THROW(format_test_set(set), InputError);
}

TEST(TestSet, NamesTheFileAndTheWrongEntry) {
  EXPECT_EQ(error_with("demand", Tensor::zeros(DType::i32, {2, 2})), "SET.npz: demand has shape (2,2), expected (2,3)");
  EXPECT_EQ(error_with("depot", Tensor::zeros(DType::f32, {2, 3})), "SET.npz: depot has shape (2,3), expected (2,2)");
  EXPECT_EQ(error_with("capacity", Tensor::zeros(DType::f32, {3})), "SET.npz: capacity has shape (3,), expected (2,)");
  EXPECT_EQ(error_with("cost", Tensor::zeros(DType::f32, {3})), "SET.npz: cost has shape (3,), expected (2,)");
  EXPECT_EQ(error_with("locs", Tensor::zeros(DType::f32, {2, 3})), "SET.npz: locs has shape (2,3), expected (B,N,2)");
  EXPECT_EQ(error_with("locs", Tensor::zeros(DType::f32, {2, 0, 2})),
            "SET.npz: locs has shape (2,0,2), expected (B,N,2)");
  EXPECT_EQ(error_with("locs", Tensor::zeros(DType::f32, {0, 3, 2})), "SET.npz: no instances");
  NamedTensors arrays = cvrp_arrays();
  arrays.erase("demand");
  EXPECT_EQ(input_error([&] { parse_test_set(format_npz(arrays), "SET.npz"); }), "SET.npz: has no array 'demand'");
}

TEST(TestSet, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(
      error_with("distance_limit", Tensor::zeros(DType::f32, {2})),
      "SET.npz: 'distance_limit': not known, and may constrain solutions; a test set has locs, cost, depot, demand, "
      "capacity, time_windows, service_time");
}

TEST(TestSet, NamesTheWrongInstance) {
  EXPECT_EQ(error_with("demand", Tensor({2, 3}, std::vector<std::int32_t>{1, 2, 3, 4, 8, 6})),
            "SET.npz: instance 1: the demand 8 of node 2 is above the capacity 7");
  EXPECT_EQ(error_with("demand", Tensor({2, 3}, std::vector<std::int32_t>{1, -2, 3, 4, 5, 6})),
            "SET.npz: instance 0: the demand of node 2 is -2");
  EXPECT_EQ(error_with("capacity", Tensor({2}, std::vector<std::int32_t>{6, 0})),
            "SET.npz: instance 1: the capacity is 0, expected more than 0 and at most 1000000000000");
  EXPECT_EQ(error_with("capacity", Tensor({2}, std::vector<double>{1e300, 7})),
            "SET.npz: instance 0: the capacity is 1e+300, expected more than 0 and at most 1000000000000");
  EXPECT_EQ(error_with("depot", Tensor({2, 2}, std::vector<float>{0, 0, 0, NAN})),
            "SET.npz: instance 1: the coordinates of node 0 are (0, nan), expected numbers up to 1000000000000");
  EXPECT_NE(error_with("cost", Tensor({2}, std::vector<float>{1, NAN})).find("instance 1: cost"), std::string::npos);
}

TEST(TestSet, ReadsTheFirstInstancesOnly) {
  NamedTensors arrays = cvrp_arrays();
  arrays["cost"] = Tensor({2}, std::vector<double>{3.5, 4.5});
  const std::vector<Instance> all = parse_test_set(format_npz(arrays), "x");
  for (const std::size_t count : {1, 2, 3}) {
    const std::vector<Instance> set = parse_test_set(format_npz(arrays), "x", {.instances = count});
    ASSERT_EQ(set.size(), std::min<std::size_t>(count, 2));
    for (std::size_t i = 0; i < set.size(); ++i) expect_same_entry(set[i], all[i]);
  }
  arrays["capacity"] = Tensor({2, 1}, std::vector<double>{6, NAN});
  EXPECT_EQ(parse_test_set(format_npz(arrays), "x", {.instances = 1}).at(0).capacity, 6)
      << "the second is not looked at";
  arrays["capacity"] = Tensor({3}, std::vector<double>{6, 7, 8});
  EXPECT_THROW(parse_test_set(format_npz(arrays), "x", {.instances = 1}), InputError) << "the shapes still have to fit";
  for (const char* name : {"tsp_protocol0.pkl", "cvrp_protocol4.pkl"})
    EXPECT_EQ(read_test_set(sample_path(name), {.instances = 1}).size(), 1u);
}

TEST(TestSet, AsksForTheMemoryOfItsInstancesBeforeTheyAreBuilt) {
  const std::string npz = format_npz({{"locs", Tensor::zeros(DType::f16, {10'000, 1, 2})}});  // 40 KB
  const auto refusal = [&](const std::string& bytes, double memory) {
    return input_error([&] { parse_test_set(bytes, "SET", {.memory = memory}); });
  };
  EXPECT_EQ(refusal(npz, 2e6), "SET: 10000 instances of size 1 need about 5.8 MB of memory, 2.0 MB are allowed");
  EXPECT_EQ(parse_test_set(npz, "SET", {.memory = 6e6}).size(), 10'000u);
  EXPECT_EQ(parse_test_set(npz, "SET", {.instances = 10, .memory = 2e6}).size(), 10u);
  EXPECT_EQ(refusal(npz, 50'000),
            "SET: the numbers of 'locs' need about 80256 bytes of memory, 50000 bytes are allowed");

  std::string pickle =  // an instance of one node, and references to it
      "(K\x01K\x02\x86lq\x01"
      "0(";
  for (int i = 0; i < 10'000; ++i) pickle += "h\x01";
  pickle += "l.";
  EXPECT_EQ(refusal(pickle, 2e6), "SET: 10000 instances need about 5.4 MB of memory, 2.0 MB are allowed");
  EXPECT_EQ(parse_test_set(pickle, "SET", {.memory = 6e6}).size(), 10'000u);
  EXPECT_EQ(parse_test_set(pickle, "SET", {.instances = 10, .memory = 2e6}).size(), 10u);
}

TEST(TestSet, AsksForTheMemoryOfCustomersToo) {
  const auto needs = [](const NamedTensors& arrays) {
    return input_error([&] { parse_test_set(format_npz(arrays), "SET", {.memory = 900}); });
  };
  EXPECT_EQ(needs(cvrp_arrays()), "SET: 2 instances of size 3 need about 1408 bytes of memory, 900 bytes are allowed");
  EXPECT_EQ(
      input_error([] { read_test_set(sample_path("cvrp_protocol4.pkl"), {.memory = 900}); }).find(sample_path("")), 0u);
}

class PickledSet : public testing::TestWithParam<int> {};

TEST_P(PickledSet, Tsp) {
  const std::string name = "tsp_protocol" + std::to_string(GetParam()) + ".pkl";
  const std::vector<Instance> set = read_test_set(sample_path(name));
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].kind, ProblemKind::tsp);
  EXPECT_EQ(set[0].size, 3);
  EXPECT_EQ(set[0].coordinates[1].y, 0.125);
  EXPECT_EQ(set[1].coordinates[0].x, 0.1);
  EXPECT_EQ(set[1].coordinates[2].y, 0.6);
}

TEST_P(PickledSet, Cvrp) {
  const std::string name = "cvrp_protocol" + std::to_string(GetParam()) + ".pkl";
  const std::vector<Instance> set = read_test_set(sample_path(name));
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0].kind, ProblemKind::cvrp);
  EXPECT_EQ(set[0].capacity, 10);
  EXPECT_EQ(set[0].coordinates[0].x, 0.5);
  EXPECT_EQ(set[0].demand, (std::vector<double>{0, 3, 9}));
  EXPECT_EQ(set[1].coordinates[0].y, 1.0);
  EXPECT_EQ(set[1].coordinates[2].x, 0.2);
  EXPECT_EQ(set[1].demand, (std::vector<double>{0, 1, 300}));
  EXPECT_EQ(set[1].capacity, 70000);
}

TEST_P(PickledSet, AnyDamageIsSafe) {
  const auto parse = [](const std::string& damaged) { parse_test_set(damaged, "damaged"); };
  for (const char* kind : {"tsp", "cvrp"}) {
    const std::string bytes = sample_bytes(kind + ("_protocol" + std::to_string(GetParam())) + ".pkl");
    expect_truncations_refused(bytes, parse);
    EXPECT_GT(count_accepted_changes(bytes, parse), 0) << "some changes only give other coordinates";
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, PickledSet, testing::Range(0, 6));

TEST(TestSet, PickledGridIsScaled) {
  const Instance instance = read_test_set(sample_path("cvrp_grid.pkl")).at(0);
  EXPECT_EQ(instance.coordinates[0].x, 0.5);
  EXPECT_EQ(instance.coordinates[0].y, 0.25);
  EXPECT_EQ(instance.coordinates[2].x, 0.125);
  EXPECT_EQ(instance.capacity, 10);
}

TEST(TestSet, RefusesPicklesOfOtherShapes) {
  const char* const bytes[] = {
      "N.",                                                    // no list
      "].",                                                    // no instance
      "(K\x01l.",                                              // numbers in the place of instances
      "(]l.",                                                  // an instance without nodes
      "((K\x01K\x01K\x01ll.",                                  // nodes that are not pairs
      "((K\x01K\x02\x86K\x03\x85ll.",                          // a node with one coordinate
      "((N](K\x01lK\x05tl.",                                   // no depot
      "((K\x01K\x01\x86(K\x01K\x01\x86l(K\x01K\x01lK\x05tl.",  // two demands for one customer
  };
  for (const char* pickle : bytes) EXPECT_THROW(parse_test_set(pickle, "x"), InputError) << pickle;
}

TEST(TestSet, RefusesPickledDemandsThatAreDividedByTheCapacity) {
  const auto parse = [](const std::string& demand, const std::string& capacity) {  // of one customer
    return parse_test_set("((K\x01K\x01\x86(K\x01K\x01\x86l(F" + demand + "\nlF" + capacity + "\ntl.", "x").size();
  };
  EXPECT_THROW(parse("0.5", "5"), InputError);
  EXPECT_EQ(parse("0.5", "1"), 1u);
  EXPECT_EQ(parse("1", "5"), 1u);
}

TEST(TestSet, RepeatedReferencesCannotFillTheMemory) {
  // One instance of 1000 references to one node, and 1000 references to that instance.
  std::string bytes =
      "K\x01K\x02\x86q\x01"
      "0(";
  for (int i = 0; i < 1000; ++i) bytes += "h\x01";
  bytes +=
      "lq\x02"
      "0(";
  for (int i = 0; i < 1000; ++i) bytes += "h\x02";
  const std::string message = input_error([&] { parse_test_set(bytes + "l.", "x"); });
  EXPECT_NE(message.find("repeats its lists"), std::string::npos) << message;
}

TEST(TestSet, ReadsTheSharedSets) {
  const std::filesystem::path folder = std::filesystem::path(NEUOPT_SHARED) / "datasets";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const struct {
    const char* name;
    std::size_t count;
    int size;
    double capacity;
  } sets[] = {{"tsp20", 1000, 20, 0},   {"tsp50", 1000, 50, 0},  {"tsp100", 1000, 100, 0},  {"tsp200", 128, 200, 0},
              {"cvrp20", 1000, 21, 30}, {"cvrp50", 500, 51, 40}, {"cvrp100", 200, 101, 50}, {"cvrp200", 24, 201, 70}};
  for (const auto& expected : sets) {
    const std::vector<Instance> set = read_test_set((folder / expected.name).string() + ".npz");
    EXPECT_EQ(set.size(), expected.count) << expected.name;
    for (const Instance& instance : set) {
      ASSERT_EQ(instance.size, expected.size) << instance.name;
      ASSERT_EQ(instance.capacity, expected.capacity) << instance.name;
      ASSERT_TRUE(instance.reference_cost) << instance.name;
    }
  }
}

}  // namespace
}  // namespace neuopt
