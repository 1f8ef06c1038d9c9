// How much a second of training with group rollouts teaches: the signal and the noise of gradients, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/config.h"
#include "train/gradient_noise.h"
#include "train/warm_start.h"

namespace neuopt::train {

struct NoiseBenchOptions {
  int rollouts = 16;     // 3 or more, each of instances of its own
  int depth = -1;        // search steps before a rollout; -1: as at the start of training
  std::string save{};    // file for the gradients of the rollouts; "": none
  std::string toward{};  // gradients that another call saved, of other settings at the same weights; "": none
};

/// Training with so many minibatches of a rollout.
struct MinibatchChoice {
  int minibatches = 1;
  bool measured = true;  // otherwise an upper bound: as if rows were drawn anew beyond those of the settings
  Measured noise;        // of their mean gradient
  double seconds = 0;    // of a rollout with its updates and its share of what comes before
  /// Squared norm of the noise in the mean gradient of one second: noise * seconds.
  double noise_after_second = 0;
  double merit = 0;  // the signal over that
};

struct NoiseBenchResult {
  std::string device;
  int depth = 0;
  int rollouts = 0;
  NoiseFigures figures;
  double warm_up_seconds = 0;            // instances and steps before learning: the share of a rollout
  double rollout_seconds = 0;            // until its rows are ready to be chosen
  double minibatch_seconds = 0;          // of choice and update
  std::vector<MinibatchChoice> choices;  // up to 64 minibatches or those of the settings
  std::size_t best = 0;                  // of the choices: least noise after a second
  std::optional<Alignment> alignment;    // with the gradients of options.toward
  double merit_toward = 0;               // of the best choice: the merit of the signal along them alone
};

/// The weights are those of `init` and stay as they are. Throws InputError when the settings are not for group
/// rollouts, have a critic, or a single minibatch.
NoiseBenchResult bench_noise(TrainConfig config, const NoiseBenchOptions& options, const Teller& tell);

}  // namespace neuopt::train
