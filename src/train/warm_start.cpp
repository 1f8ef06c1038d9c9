#include "train/warm_start.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "policy/model.h"
#include "policy/widen.h"

namespace neuopt::train {
namespace {

/// `changes` as require_same_network returns them.
void tell_changes(const std::string& changes, const Teller& tell) {
  if (!changes.empty()) tell("from here on the network is run differently, before and now: " + changes);
}

void take_weights_of(const std::string& file, ProblemKind kind, Parameters& parameters, const Teller& tell) {
  policy::Model model = policy::widened(policy::load_model(file), kind);
  const policy::Architecture& now = parameters.architecture();
  const bool first_told = now.prospects && !model.architecture.prospects;
  if (first_told) {
    model = policy::with_prospects(std::move(model));
    model.architecture.foresight = now.foresight;
  }
  const std::string changes = require_same_network(model.architecture, now, file);
  parameters.set_actor(model.weights);
  tell(fmt::format("starting from {} (trained for size {})", file, model.trained_size));
  if (first_told) tell("from here on the network is told what choices lead to");
  tell_changes(changes, tell);
}

}  // namespace

std::optional<CheckpointInfo> load_newest(const RunFolder& folder, LearningState& state, const Teller& tell) {
  std::string reason;
  for (const std::string& file : folder.checkpoints()) {
    try {
      const CheckpointInfo info = load_checkpoint(file, state);
      tell(fmt::format("starting from {}", file));
      tell_changes(info.network_changes, tell);
      return info;
    } catch (const InputError& error) {
      reason = error.what();
      tell(reason);
    }
  }
  if (!reason.empty()) throw InputError(folder.path(), 0, fmt::format("no checkpoint will do: {}", reason));
  return std::nullopt;
}

void warm_start(const TrainConfig& config, LearningState& state, const Teller& tell) {
  if (std::filesystem::is_directory(config.init)) {
    const RunFolder run(config.init);
    if (!load_newest(run, state, tell)) throw InputError(config.init, 0, "this run has no checkpoint to start from");
    if (config.init_average) take_weights_of(run.average_file(), config.kind(), state.parameters, tell);
  } else {
    if (config.init_average) throw InputError(config.init, 0, "init_average is for the folder of a run");
    take_weights_of(config.init, config.kind(), state.parameters, tell);
  }
  state.forget_progress();
}

}  // namespace neuopt::train
