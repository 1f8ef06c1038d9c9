#include "search/settings.h"

#include <fmt/format.h>

#include "core/error.h"

namespace neuopt::search {
namespace {

void require_not_negative(const char* what, int value) {
  if (value < 0) throw InputError(fmt::format("{}: {}, expected 0 or more", what, value));
}

}  // namespace

void check_settings(const SearchSettings& settings) {
  if (settings.copies < 1) throw InputError(fmt::format("copies: {}, expected 1 or more", settings.copies));
  require_not_negative("stall limit", settings.stall_limit);
  require_not_negative("threads", settings.threads);
  require_not_negative("copies of a session", settings.session_copies);
}

policy::SessionOptions session_options(const SearchSettings& settings, const policy::Model& model) {
  policy::SessionOptions session;
  session.seed = settings.seed;
  session.stall_limit = settings.stall_limit;
  session.augment_start = settings.augment_start;
  session.threads = settings.threads;
  session.precision = settings.precision;
  session.gire.exploration_features = model.architecture.exploration_features;
  session.gire.violation_features = model.architecture.violation_features;
  return session;
}

void check_model(const policy::Model* model, ProblemKind problem) {
  if (model == nullptr) throw InputError("the search needs a model");
  const auto name = [](ProblemKind kind) { return kind == ProblemKind::tsp ? "TSP" : "CVRP"; };
  if (model->architecture.problem != problem)
    throw InputError(
        fmt::format("the model is for the {}, not for the {}", name(model->architecture.problem), name(problem)));
}

}  // namespace neuopt::search
