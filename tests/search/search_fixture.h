// What the tests of the search share: generated instances, a small random network, its backend.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "policy/backend.h"
#include "problem/generate.h"
#include "search/device.h"
#include "search/search.h"
#include "support/random_model.h"

namespace neuopt::test {

inline std::shared_ptr<const policy::Model> small_model(ProblemKind problem) {
  return std::make_shared<policy::Model>(random_model(small_architecture(problem)));
}

/// The search on a set, all with this model; the small one of the problem when none is given.
inline std::vector<search::SolveResult> search_set(std::span<const Instance> set, const search::SolveOptions& options,
                                                   const search::SolveCallbacks& callbacks = {},
                                                   std::shared_ptr<const policy::Model> model = nullptr) {
  if (!model) model = small_model(set.front().kind);
  std::vector<search::Job> jobs;
  for (const Instance& instance : set)
    jobs.push_back({.instance = &instance,
                    .id = static_cast<std::uint32_t>(jobs.size()),
                    .model = {model, "small"},
                    .start = options.start,
                    .initial = options.initial ? &*options.initial : nullptr});
  return search::search_jobs(jobs, *search::open_device("auto"), options, callbacks);
}

inline search::SolveResult search_one(const Instance& instance, const search::SolveOptions& options,
                                      const search::SolveCallbacks& callbacks = {}) {
  return search_set({&instance, 1}, options, callbacks).at(0);
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
