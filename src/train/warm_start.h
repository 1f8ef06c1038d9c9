// What a run starts from: a model, another run, or a checkpoint of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "train/checkpoint.h"
#include "train/run_folder.h"

namespace neuopt::train {

/// Where messages for people go.
using Teller = std::function<void(const std::string& text)>;

/// Restores the newest checkpoint of a run that can be read; nothing when the run has none. Throws InputError when it
/// has some but none will do.
std::optional<CheckpointInfo> load_newest(const RunFolder& folder, LearningState& state, const Teller& tell);

/// From the model in `init`, or from the run in it, which brings the critic and the optimiser as well. Of a run, the
/// policy may be the average instead of the weights (`init_average`). Throws InputError when the network is another.
void warm_start(const TrainConfig& config, LearningState& state, const Teller& tell);

}  // namespace neuopt::train
