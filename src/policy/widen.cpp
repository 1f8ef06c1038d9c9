#include "policy/widen.h"

#include <algorithm>

#include "env/prospects.h"

namespace neuopt::policy {
namespace {

constexpr const char* kFirstLayer = "embedder.embedder.0.weight";  // (units, features)

}  // namespace

Model widened(Model model, ProblemKind problem) {
  const ProblemTraits from = traits(model.architecture.problem), to = traits(problem);
  if (model.architecture.problem == problem || !from.constrained || from.features > to.features) return model;
  Architecture architecture = model.architecture;
  architecture.problem = problem;
  if (!env::knows_prospects(problem)) architecture.prospects = false, architecture.foresight = 2;
  Weights weights(policy_tensors(architecture));
  for (const TensorSpec& spec : weights.specs()) {
    const auto old = model.weights[spec.name];
    const auto into = weights[spec.name];
    const std::size_t rows = spec.name == kFirstLayer ? static_cast<std::size_t>(spec.shape[0]) : 1;
    const std::size_t width = old.size() / rows, step = into.size() / rows;
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                  into.begin() + static_cast<std::ptrdiff_t>(row * step));
  }
  model.architecture = architecture;
  model.weights = std::move(weights);
  return model;
}

Model with_prospects(Model model) {
  constexpr float kLiking = 2;  // about the best before any training (docs/prospects.md)
  if (model.architecture.prospects) return model;
  model.architecture.prospects = true;
  Weights weights(policy_tensors(model.architecture));
  for (const TensorSpec& spec : model.weights.specs())
    std::copy(model.weights[spec.name].begin(), model.weights[spec.name].end(), weights[spec.name].begin());
  const auto like = [&](int row, int feature) {
    weights[kProspectTable][static_cast<std::size_t>(row * env::kProspectFeatures + feature)] =
        kLiking / env::kProspectUnit;
  };
  for (int row = 0; row < env::kProspectRows; ++row) {
    like(row, env::kBelowBest);
    if (row >= 2) like(row, env::kClosesBelowBest);  // before, the E-move leaves the tour as it is
  }
  model.weights = std::move(weights);
  return model;
}

}  // namespace neuopt::policy
