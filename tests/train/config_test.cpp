// The settings of a training run: reading, completing, refusing.
#include "train/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "train/settings_list.h"

namespace neuopt::train {
namespace {

TEST(TrainConfigTest, WritingAndReadingGivesTheSame) {
  TrainConfig config = parse_train_config("problem = cvrp", "test");
  config.init = "some \"model\" #1\\of\n2.safetensors";
  config.actor_rate = 1.25e-5;
  config.shaped = 0.3;
  config.validation_steps = {7, 11};
  config.more_sizes = {50, 70};
  config.algorithm = "groups";
  config.horizon = 25;
  config.average = 100;
  const std::string text = format_train_config(config);
  EXPECT_EQ(format_train_config(parse_train_config(text, "test")), text);
  EXPECT_EQ(parse_train_config(text, "test").init, config.init);
  EXPECT_EQ(parse_train_config(text, "test").shaped, 0.3);
  EXPECT_EQ(parse_train_config(text, "test").more_sizes, (std::vector<int>{50, 70}));
}

TEST(TrainConfigTest, TheListOfSettingsIsAFileOfTheDefaults) {
  const std::string list = explain_settings();
  EXPECT_EQ(format_train_config(parse_train_config(list, "list")), format_train_config(parse_train_config("", "none")));
  std::size_t settings = 0;
  const TrainConfig defaults;
  visit_settings(defaults, [&](const char* key, const auto&, const char* meaning) {
    ++settings;
    EXPECT_NE(list.find(fmt::format("\n{} = ", key)), std::string::npos) << key;
    EXPECT_NE(list.find(fmt::format("# {}\n", meaning)), std::string::npos) << key;
  });
  EXPECT_GT(settings, 60u);
  EXPECT_NE(list.find("\nsize = 20 "), std::string::npos);
  EXPECT_NE(list.find("# nodes of a tsp, customers of the others\n"), std::string::npos);
  EXPECT_NE(list.find("more_sizes = []"), std::string::npos);
}

TEST(TrainConfigTest, PresetsHaveThePapersSettings) {
  const std::string presets = std::string(NEUOPT_TEST_DATA) + "/../../configs/";
  const TrainConfig tsp = read_train_config(presets + "tsp100.toml");
  EXPECT_EQ(tsp.batch, 512);
  EXPECT_EQ(tsp.total_batches(), 4000);
  EXPECT_EQ(tsp.curriculum_steps(3), 12);
  EXPECT_EQ(policy::parameter_count(policy::policy_tensors(tsp.architecture())), 682628);
  const double epsilons[] = {0.33, 0.625, 1.0, 1.429};
  const int sizes[] = {20, 50, 100, 200}, depots[] = {10, 20, 20, 30}, capacities[] = {30, 40, 50, 70};
  for (int i = 0; i < 4; ++i) {
    const TrainConfig cvrp = read_train_config(presets + "cvrp" + std::to_string(sizes[i]) + ".toml");
    EXPECT_EQ(cvrp.size, sizes[i]);
    EXPECT_EQ(cvrp.depots, depots[i]);
    EXPECT_EQ(cvrp.capacity, capacities[i]);
    EXPECT_EQ(cvrp.epsilon, epsilons[i]);
    EXPECT_EQ(cvrp.steps, 250);
    EXPECT_EQ(cvrp.chunk, 5);
    EXPECT_EQ(policy::parameter_count(policy::policy_tensors(cvrp.architecture())), 685140);
  }
}

std::string error_of(const std::string& text) {
  try {
    parse_train_config(text, "file.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainConfigTest, ErrorsNameTheSetting) {
  EXPECT_NE(error_of("bathc = 3").find("'bathc'"), std::string::npos);
  EXPECT_NE(error_of("batch = many").find("batch is 'many', expected a whole number"), std::string::npos);
  EXPECT_NE(error_of("batch = -1").find("batch is -1"), std::string::npos);
  EXPECT_NE(error_of("recurrent = 2").find("expected true or false"), std::string::npos);
  EXPECT_NE(error_of("steps = 10\nchunk = 4").find("not a multiple"), std::string::npos);
  EXPECT_NE(error_of("algorithm = \"reinforce\"").find("expected ppo or groups"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nsteps = 30").find("steps (30) are not a multiple of horizon (25)"),
            std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\ngroup = 1").find("group is 1"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nedge_credit = 2").find("expected a share from 0 to 1"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nbootstrap = true\ngamma = 1").find("a gamma below 1"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nbootstrap = true\nedge_credit = 1").find("no effect"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nbootstrap_interval = 5").find("with bootstrap"), std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nbootstrap = true\nbootstrap_interval = 25").find("the horizon's 25"),
            std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nbootstrap = true\nbootstrap_share = 1.5").find("from 0 to 1"),
            std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\npolished_ends = true\nedge_credit = 0.5").find("polished_ends"),
            std::string::npos);
  EXPECT_NE(error_of("algorithm = groups\nlookahead = 25").find("none is left to learn from"), std::string::npos);
  EXPECT_NE(error_of("final_rate = 0").find("final_rate is 0"), std::string::npos);
  EXPECT_NE(error_of("init_average = true").find("needs a run in init"), std::string::npos);
  EXPECT_NE(error_of("flat_steps = 3").find("flat_steps is 3, expected 1, or more with an axes_interval"),
            std::string::npos);
  EXPECT_NE(error_of("axes_interval = 9\nflat_steps = 0.5").find("flat_steps is 0.5"), std::string::npos);
  EXPECT_NE(error_of("average = -1").find("average is -1"), std::string::npos);
  EXPECT_NE(error_of("problem = \"vrptx\"").find("expected tsp, cvrp or vrptw"), std::string::npos);
  EXPECT_NE(error_of("dim = 30").find("multiple of heads"), std::string::npos);
  EXPECT_NE(error_of("epochs = 1000000\nbatches_per_epoch = 3000").find("epochs * batches_per_epoch"),
            std::string::npos);
  EXPECT_NE(error_of("curriculum = 1e-10").find("epochs / curriculum"), std::string::npos);
  EXPECT_NE(error_of("edge_credit = 7").find("expected a share from 0 to 1"), std::string::npos);
  EXPECT_NE(error_of("shaped = 1.5").find("shaped is 1.5, expected a share from 0 to 1"), std::string::npos);
  EXPECT_NE(error_of("shaped = -0.5").find("shaped is -0.5"), std::string::npos);
  EXPECT_EQ(error_of("batch = 3").find("file.toml"), std::string::npos);
}

TEST(TrainConfigTest, NumbersHaveUpperBounds) {
  EXPECT_EQ(error_of("threads = 1000000"), "file.toml:1: threads is 1000000, expected 0 to 4096");
  EXPECT_EQ(error_of("clip = 1e300"), "file.toml:1: clip is 1e+300, expected 0 to 1000000");
  EXPECT_EQ(error_of("actor_rate = 2"), "file.toml:1: actor_rate is 2, expected 0 to 1");
  EXPECT_EQ(error_of("rate_decay = 1.5"), "file.toml:1: rate_decay is 1.5, expected 0 to 1");
}

TEST(TrainConfigTest, SizesThatNoMachineHoldsAreRefused) {
  using Settings = std::vector<std::string>;
  for (const Settings& settings :
       {Settings{"size=100000"}, Settings{"more_sizes=100000"}, Settings{"problem=cvrp", "depots=2147483647"},
        Settings{"chunk=2000000000", "steps=2000000000"}, Settings{"algorithm=groups", "batch=2000000000"}})
    EXPECT_THROW(parse_train_config("", "test", settings), InputError) << settings[0];
}

TEST(TrainConfigTest, ValidationStepsAreInOrderAndOnce) {
  const std::vector<int> steps{5, 10};
  EXPECT_EQ(parse_train_config("validation_steps = [10, 5, 10]", "test").validation_steps, steps);
}

TEST(TrainConfigTest, ErrorsNameTheLineOrTheCommand) {
  EXPECT_EQ(error_of("# sizes\n\nbatch = many"), "file.toml:3: batch is 'many', expected a whole number");
  EXPECT_EQ(error_of("size = 20\nbathc = 3"),
            "file.toml:2: there is no setting 'bathc', neuopt train --list-settings names all");
  EXPECT_EQ(error_of("size = 20\nbatch = 0"), "file.toml:2: batch is 0, expected 1 or more");
  EXPECT_EQ(error_of("size = 20\ndim = 3"), "file.toml:2: dim is 3, expected 4 to 4096");
  EXPECT_EQ(error_of("size = 20\nlogit_bound = 21"), "file.toml:2: logit_bound is 21, expected 1 to 20");
  EXPECT_EQ(error_of("prospects = true\nforesight = 4"), "file.toml:2: foresight is 4, expected 2 to 3");
  EXPECT_EQ(error_of("size = 20\nforesight = 3"), "file.toml:2: foresight is for a network with prospects");
  EXPECT_EQ(error_of("steps = 10\nchunk = 4"), "file.toml:1: steps (10) are not a multiple of chunk (4)");
  EXPECT_EQ(error_of("size = 20\nbatch = 8\nsize = 30"), "file.toml:3: 'size' stands in line 1 already");
  EXPECT_EQ(error_of("size = 20\nsize = 30"), "file.toml:2: 'size' stands in line 1 already");
  for (const int moves : {1, 99})
    EXPECT_EQ(error_of("max_moves = " + std::to_string(moves)),
              "file.toml:1: max_moves is " + std::to_string(moves) + ", expected 2 to 32");
  try {
    parse_train_config("batch = 8", "file.toml", {"batch=0"});
    FAIL() << "a batch of none";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "setting: batch is 0, expected 1 or more");
  }
}

TEST(TrainConfigTest, SettingsAreAppliedBeforeTheFileIsCompleted) {
  const std::string file = "problem = cvrp\nsize = 20\ndepots = 10\ncapacity = 30\nepsilon = 0.33\n";
  const TrainConfig tsp = parse_train_config(file, "file.toml", {"problem=tsp"});
  EXPECT_EQ(tsp.depots, 0);
  EXPECT_EQ(tsp.capacity, 0);
  EXPECT_EQ(tsp.epsilon, 0);
  const TrainConfig larger = parse_train_config("problem = cvrp", "file.toml", {"size=100"});
  EXPECT_EQ(larger.depots, 20);
  EXPECT_EQ(larger.capacity, 50);
}

TEST(TrainConfigTest, DepotsMustSufficeForTheStandardStart) {
  EXPECT_NE(error_of("problem = cvrp\nsize = 20\ncapacity = 30\ndepots = 6").find("may need 7 routes"),
            std::string::npos);
  EXPECT_EQ(error_of("problem = cvrp\nsize = 20\ncapacity = 30\ndepots = 7"), "no error");
  EXPECT_NE(error_of("problem = cvrp\ncapacity = 8").find("capacity is 8"), std::string::npos);
  EXPECT_EQ(parse_train_config("problem = cvrp\nsize = 20\ncapacity = 9", "file.toml").depots, 20);
}

TEST(TrainConfigTest, ListsInACommandMayHaveBracketsAndBlanks) {
  for (const char* setting : {"validation_steps=100,300", "validation_steps=[100, 300]", "validation_steps=100 300"}) {
    TrainConfig config;
    apply_setting(config, setting);
    EXPECT_EQ(config.validation_steps, (std::vector<int>{100, 300})) << setting;
  }
  TrainConfig config;
  apply_setting(config, "validation=a,b.npz");
  EXPECT_EQ(config.validation, "a,b.npz");
  for (const char* setting : {"validation_steps=", "validation_steps=[]", "validation_steps=100;300", "more_sizes=4"})
    EXPECT_THROW(parse_train_config("", "test", {setting}), InputError) << setting;
}

TEST(TrainConfigTest, OtherSizesHaveTheirUsualDepotsAndCapacity) {
  const TrainConfig config = parse_train_config("problem = cvrp\nsize = 100\ncapacity = 80\nmore_sizes = [20]", "test");
  const TrainConfig small = config.with_size(20), same = config.with_size(100);
  EXPECT_EQ(small.size, 20);
  EXPECT_EQ(small.capacity, 30);
  EXPECT_EQ(small.depots, parse_train_config("problem = cvrp\nsize = 20", "test").depots);
  EXPECT_LT(small.epsilon, config.epsilon);
  EXPECT_TRUE(small.more_sizes.empty());
  EXPECT_EQ(same.capacity, 80);
  EXPECT_NE(small.instance_series(), config.instance_series());
}

TEST(TrainConfigTest, LegsDrawInstancesOfTheirOwn) {
  const TrainConfig config;
  EXPECT_GE(config.instance_series(), 0x80000000u);
  for (const char* setting : {"size=9", "first_epoch=1", "init=model.safetensors"}) {
    TrainConfig other = config;
    apply_setting(other, setting);
    EXPECT_NE(other.instance_series(), config.instance_series()) << setting;
  }
}

}  // namespace
}  // namespace neuopt::train
