// Uniform instances with copies from the usual starts, for benchmarks.
#pragma once

#include <vector>

#include "env/host_instance.h"
#include "policy/backend.h"
#include "problem/generate.h"
#include "problem/normalize.h"

namespace neuopt::cli {

struct UniformCopies {
  std::vector<SearchInstance> instances;
  std::vector<policy::Copy> copies;

  UniformCopies(ProblemKind problem, int size, int count, int per_instance = 1) {
    for (int i = 0; i < count; ++i)
      instances.push_back(make_search_instance(generate_uniform(problem, size, 1, static_cast<std::uint64_t>(i))));
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < per_instance; ++c) {
        const auto id = static_cast<std::uint32_t>(i), copy = static_cast<std::uint32_t>(c);
        const SearchInstance& instance = instances[static_cast<std::size_t>(i)];
        copies.push_back({&instance, id, copy, env::standard_start(instance, Random{1}, id, copy)});
      }
  }
};

}  // namespace neuopt::cli
