#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt::test {

/// A folder with an instance and a small random model of its problem.
struct SolveFiles {
  TemporaryFolder folder;
  Instance instance;

  explicit SolveFiles(ProblemKind kind = ProblemKind::tsp, int size = 20)
      : instance(generate_uniform(kind, size, 1, 0)) {
    write_file(path("instance"), write_instance(instance));
    policy::save_model(path("model"), test::random_model(test::small_architecture(kind)));
  }

  std::string path(const std::string& name) const { return folder / name; }
  Outcome solve(const std::string& options) const {
    return run_program("solve " + path("instance") + " --model " + path("model") + " " + options);
  }
  Outcome shell(const std::string& before, const std::string& options) const {
    return run_program("solve " + path("instance") + " --model " + path("model") + " " + options, before);
  }
};

/// The program must refuse with this exit code and these words, and print nothing on standard output.
inline void expect_refusal(const Outcome& outcome, int code, const std::string& words) {
  EXPECT_EQ(outcome.code, code) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
}

}  // namespace neuopt::test
