#include "io/instance_set.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using Paths = std::vector<std::string>;

struct Files {
  test::TemporaryFolder folder;

  Files() {
    write("b.tsp", generate_uniform(ProblemKind::tsp, 7, 1, 0));
    write("a.tsp", generate_uniform(ProblemKind::tsp, 5, 1, 0));
    write("c.vrp", generate_uniform(ProblemKind::cvrp, 5, 1, 0));
    write_test_set(path("set.npz"),
                   {generate_uniform(ProblemKind::tsp, 6, 1, 0), generate_uniform(ProblemKind::tsp, 6, 1, 1)});
  }
  std::string path(const std::string& name) const { return folder / name; }
  void write(const std::string& name, const Instance& instance) const {
    write_file(path(name), write_instance(instance));
  }
};

std::vector<int> sizes(const InstanceSet& set) {
  std::vector<int> list;
  for (const Instance& instance : set.instances) list.push_back(instance.size);
  return list;
}

TEST(InstanceSet, GarbageIsNeitherASetNorAnInstance) {
  const test::TemporaryFolder folder;
  for (const std::string garbage : {"Hello, this is a letter.", "hello", "\x01\x02\x03", "", "12 13"}) {
    write_file(folder / "x", garbage);
    const std::string path = folder / "x";
    try {
      read_instances({&path, 1});
      ADD_FAILURE() << garbage;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("neither a set"), std::string::npos) << error.what();
    }
  }
}

TEST(InstanceSet, OneFileIsNoSet) {
  const Files files;
  EXPECT_FALSE(read_instances(Paths{files.path("a.tsp")}).is_set);
  EXPECT_TRUE(read_instances(Paths{files.path("set.npz")}).is_set);
  EXPECT_TRUE(read_instances(Paths{files.path("a.tsp"), files.path("b.tsp")}).is_set);
}

TEST(InstanceSet, KeepsTheOrderOfPathsAndOfNamesInAFolder) {
  const Files files;
  EXPECT_EQ(sizes(read_instances(Paths{files.path("b.tsp"), files.path("set.npz"), files.path("a.tsp")})),
            (std::vector{7, 6, 6, 5}));
  std::filesystem::remove(files.path("c.vrp"));
  write_file(files.path("notes.txt"), "nothing");
  EXPECT_EQ(sizes(read_instances(Paths{files.folder.path()})), (std::vector{5, 7}));
  EXPECT_EQ(sizes(read_instances(Paths{files.folder.path()}, 1)), (std::vector{5}));
  EXPECT_EQ(sizes(read_instances(Paths{files.path("set.npz")}, 1)), (std::vector{6}));
}

TEST(InstanceSet, EndingsInAFolderMayBeInCapitals) {
  const Files files;
  const test::TemporaryFolder folder;
  std::filesystem::copy(files.path("a.tsp"), folder / "A.TSP");
  std::filesystem::copy(files.path("b.tsp"), folder / "B.Tsp");
  EXPECT_EQ(sizes(read_instances(Paths{folder.path()})), (std::vector{5, 7}));
}

TEST(InstanceSet, LimitCountsAcrossFilesAndLooksNoFurther) {
  const Files files;
  EXPECT_EQ(sizes(read_instances(Paths{files.path("set.npz"), files.path("set.npz")}, 3)), (std::vector{6, 6, 6}));
  std::vector<Instance> half_wrong = {generate_uniform(ProblemKind::cvrp, 5, 1, 0),
                                      generate_uniform(ProblemKind::cvrp, 5, 1, 1)};
  half_wrong[1].demand[1] = 1000;
  write_test_set(files.path("wrong.npz"), half_wrong);
  EXPECT_THROW(read_instances(Paths{files.path("wrong.npz")}), InputError);
  EXPECT_EQ(sizes(read_instances(Paths{files.path("wrong.npz")}, 1)), (std::vector{6}));
}

TEST(InstanceSet, NamelessInstancesAreCalledLikeTheirFiles) {
  const Files files;
  Instance nameless = generate_uniform(ProblemKind::tsp, 5, 1, 0);
  nameless.name.clear();
  files.write("city.tsp", nameless);
  EXPECT_EQ(read_instances(Paths{files.path("city.tsp"), files.path("a.tsp")}).instances[0].name, "city");
}

TEST(InstanceSet, RefusalsNameTheFile) {
  const Files files;
  std::filesystem::create_directory(files.path("empty"));
  const auto refusal = [&](const Paths& paths) -> std::string {
    try {
      read_instances(paths);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto names = [&](const std::string& message, const std::string& file) {
    return message.starts_with(files.path(file));
  };
  EXPECT_TRUE(names(refusal({files.folder.path()}), "c.vrp"));
  EXPECT_TRUE(names(refusal({files.path("set.npz"), files.path("c.vrp")}), "c.vrp"));
  EXPECT_TRUE(names(refusal({files.path("empty")}), "empty"));
  EXPECT_TRUE(names(refusal({files.path("a.tsp"), files.path("none.tsp")}), "none.tsp"));
  EXPECT_NE(refusal({}), "");
}

TEST(InstanceSet, KnowsPicklesOfAllProtocols) {
  EXPECT_TRUE(looks_like_test_set("\x80\x04]."));
  EXPECT_TRUE(looks_like_test_set("(lp0\n."));
  EXPECT_FALSE(looks_like_test_set("DIMENSION : 1\nNODE_COORD_SECTION\n1 0 1."));
  EXPECT_FALSE(looks_like_test_set("NAME : x\n"));
}

}  // namespace
}  // namespace neuopt
