// Models with seeded random weights, small enough for tests.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/philox.h"
#include "policy/model.h"

namespace neuopt::test {

/// The paper's network with a small width.
inline policy::Architecture small_architecture(ProblemKind problem) {
  policy::Architecture architecture = policy::paper_architecture(problem);
  architecture.dim = 16;
  architecture.feed_forward = 24;
  architecture.layers = 2;
  return architecture;
}

/// Every parameter uniform within policy::initial_bound.
inline policy::Model random_model(const policy::Architecture& architecture, std::uint64_t seed = 1) {
  policy::Model model;
  model.architecture = architecture;
  model.weights = policy::Weights(policy::policy_tensors(architecture));
  std::uint32_t counter = 0;
  for (const policy::TensorSpec& spec : model.weights.specs()) {
    const float bound = policy::initial_bound(spec);
    for (float& value : model.weights[spec.name])
      value = bound * (2 * uniform_float(Random{seed}.words(Draw::test, counter++, 0, 0, 0).word[0]) - 1);
  }
  return model;
}

}  // namespace neuopt::test
