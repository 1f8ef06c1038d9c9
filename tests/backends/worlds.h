// Small instances and copies for tests of sessions.
#pragma once

#include <vector>

#include "env/host_instance.h"
#include "policy/backend.h"
#include "problem/generate.h"

namespace neuopt::test {

/// Uniform instances with their copies at the usual starts.
struct Worlds {
  std::vector<SearchInstance> instances;
  std::vector<policy::Copy> copies;

  Worlds(ProblemKind problem, int size, int count, std::uint64_t seed = 7) {
    for (int i = 0; i < count; ++i)
      instances.push_back(make_search_instance(generate_uniform(problem, size, seed, static_cast<std::uint64_t>(i))));
    for (int i = 0; i < count; ++i) {
      const auto id = static_cast<std::uint32_t>(i);
      copies.push_back({&instances[i], id, 0, env::standard_start(instances[i], Random{seed}, id, 0)});
    }
  }
};

}  // namespace neuopt::test
