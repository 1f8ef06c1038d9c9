// neuopt bench train and bench noise. In neuopt itself they are handed over to the trainer's program.
#pragma once

#include "cli/commands.h"

namespace neuopt::cli {

inline constexpr const char* kBenchTrainHelp = "Training: milliseconds for each search step, and where they go";
inline constexpr const char* kBenchNoiseHelp = "Group rollouts: signal and noise of the gradient, and what they cost";

/// Adds `train` and `noise` to the subcommand bench.
void add_trainer_benches(CLI::App& bench, Job& job);

}  // namespace neuopt::cli
