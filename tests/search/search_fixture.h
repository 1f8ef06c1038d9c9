// What the tests of the search share: generated instances, a small random network, its backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/backend.h"
#include "problem/generate.h"
#include "search/device.h"
#include "support/random_model.h"

namespace neuopt::test {

inline std::shared_ptr<const policy::Model> small_model(ProblemKind problem) {
  return std::make_shared<policy::Model>(random_model(small_architecture(problem)));
}

inline std::vector<Instance> uniform_set(ProblemKind kind, int customers, int count, std::uint64_t seed = 1) {
  std::vector<Instance> instances;
  for (int index = 0; index < count; ++index)
    instances.push_back(generate_uniform(kind, customers, seed, static_cast<std::uint64_t>(index)));
  return instances;
}

/// An explicit matrix without coordinates: the distances of a generated instance, rounded as a file would.
inline Instance explicit_instance(int size) {
  const Instance points = generate_uniform(ProblemKind::tsp, size, 5, 0);
  Instance instance;
  instance.name = "matrix";
  instance.metric = Metric::explicit_matrix;
  instance.size = size;
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to)
      instance.matrix.push_back(static_cast<double>(static_cast<long>(1000 * points.distance(from, to))));
  return instance;
}

}  // namespace neuopt::test
