#include "search/settings.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace neuopt::search {
namespace {

void require_not_negative(const char* what, long value) {
  if (value < 0) throw InputError(fmt::format("{}: {}, expected 0 or more", what, value));
}

void require_up_to(const char* what, int value, int most) {
  if (value < 0 || value > most) throw InputError(fmt::format("{}: {}, expected 0 to {}", what, value, most));
}

}  // namespace

void check_settings(const SolveOptions& options) {
  if (options.copies < 1) throw InputError(fmt::format("copies: {}, expected 1 or more", options.copies));
  if (options.copies > kMostCopies)
    throw InputError(fmt::format("copies: {}, expected {} or fewer", options.copies, kMostCopies));
  require_up_to("threads", options.threads, kMostThreads);
  require_up_to("copies of a session", options.session_copies, kMostSessionCopies);
  require_not_negative("stall limit", options.stall_limit);
  require_not_negative("steps between polishes", options.polish.value_or(0));
  require_not_negative("steps between restarts", options.restart);
  require_not_negative("steps", options.steps.value_or(0));
  require_not_negative("patience", options.patience);
  if (!(options.memory_limit >= 0))
    throw InputError(fmt::format("memory limit: {}, expected 0 or more bytes", options.memory_limit));
  if (const double limit = options.time_limit.value_or(0); !(limit >= 0 && limit <= kMostSeconds))
    throw InputError(fmt::format("time limit: {}, expected 0 to {} seconds", limit, kMostSeconds));
  if (const double target = options.target_cost.value_or(0); !std::isfinite(target))
    throw InputError(fmt::format("target cost: {}, expected a finite number", target));
  long last = -1;
  for (const long step : options.curve) {
    if (step < 0 || (options.steps && step > *options.steps))
      throw InputError(fmt::format("curve at step {}, expected 0 to the steps taken", step));
    if (step <= last) throw InputError(fmt::format("curve at step {} after {}, expected ascending steps", step, last));
    last = step;
  }
}

policy::SessionOptions session_options(const SolveOptions& options, const policy::Model& model, int usual_polish) {
  constexpr int kForesightBesidePolish = 2;  // local search finds what a third edge does, and sooner
  policy::SessionOptions session;
  session.seed = options.seed;
  session.stall_limit = options.stall_limit;
  session.augment_start = options.augment_start;
  session.threads = options.threads;
  session.precision = options.precision;
  session.polish_interval = options.polish.value_or(usual_polish);
  if (session.polish_interval > 0) session.foresight = kForesightBesidePolish;
  session.restart_interval = options.restart;
  session.gire.exploration_features = model.architecture.exploration_features;
  session.gire.violation_features = model.architecture.violation_features;
  return session;
}

void check_model(const policy::Model* model, ProblemKind problem) {
  if (model == nullptr) throw InputError("the search needs a model");
  if (model->architecture.problem != problem)
    throw InputError(fmt::format("the model is for the {}, not for the {}", traits(model->architecture.problem).label,
                                 traits(problem).label));
}

SolveOptions paper_protocol() {
  SolveOptions options;
  options.start = StartKind::random;
  options.polish = 0;
  options.restart = 0;
  options.by_parts = false;
  return options;
}

std::string start_name(StartKind start) {
  switch (start) {
    case StartKind::automatic:
      return "auto";
    case StartKind::random:
      return "random";
    case StartKind::greedy:
      return "greedy";
    case StartKind::savings:
      return "savings";
    case StartKind::curve:
      return "curve";
  }
  return "unknown";
}

std::optional<StartKind> parse_start(std::string_view name) {
  for (const StartKind start : kStartKinds)
    if (name == start_name(start)) return start;
  return std::nullopt;
}

std::string stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::steps:
      return "steps";
    case StopReason::time:
      return "time";
    case StopReason::target:
      return "target";
    case StopReason::patience:
      return "patience";
    case StopReason::interrupt:
      return "interrupt";
    case StopReason::exact:
      return "exact";
  }
  return "unknown";
}

}  // namespace neuopt::search
