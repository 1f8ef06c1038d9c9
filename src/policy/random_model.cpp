#include "policy/random_model.h"

#include "core/philox.h"

namespace neuopt::policy {

Model random_model(const Architecture& architecture, std::uint64_t seed) {
  validate(architecture, "random model");
  Model model;
  model.architecture = architecture;
  model.weights = Weights(policy_tensors(architecture));
  std::uint32_t index = 0;
  for (const TensorSpec& spec : model.weights.specs()) {
    const float bound = initial_bound(spec);
    for (float& value : model.weights[spec.name])
      value = bound * (2 * uniform_float(Random{seed}.words(Draw::policy, index++, 0, 0, 0).word[0]) - 1);
  }
  return model;
}

}  // namespace neuopt::policy
