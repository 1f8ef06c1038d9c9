// Learns exchanges that the policy could have made, beside what it drew: of a rollout's states that have one, those
// that gain most. See docs/training-internals.md.
#pragma once

#include <torch/types.h>

#include <optional>

#include "train/batch_statistics.h"
#include "train/group_rows.h"
#include "train/missed_exchanges.h"
#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {

class MissedLearner {
 public:
  MissedLearner(SizeContext& context, const BatchEnvironment& branches);

  void begin_batch() { sums_.zero_(); }
  /// Finds the exchanges of a rollout. Their gains are measured in root mean squares of the advantages (h, B, G) that
  /// its rewards give, each part of the batch by itself.
  void find(const Chunk& rollout, const torch::Tensor& advantages);
  /// Chooses the states of an update; see RowChoice.
  void choose(const Chunk& rollout, double offset);
  /// (M): what the logarithm of the probability of making them is worth, on average over the rollout's states 1 for a
  /// gain of one root mean square.
  const torch::Tensor& worth() const { return worth_; }
  /// The loss over these: probabilities count by their logarithms. Nothing waits for the device.
  torch::Tensor loss();
  /// Adds what is reported of the batch's rollouts.
  void report(GroupStatistics& statistics) const;

 private:
  torch::Tensor log_probabilities() const;

  SizeContext& context_;
  MissedExchanges found_;            // of the states that may be chosen; gains scaled
  std::optional<RowChoice> choice_;  // among these
  Rows rows_;                        // of an update: two for each exchange, one way and the other
  torch::Tensor worth_;              // (M)
  torch::Tensor sums_;  // (4): shares of the states that have one, rollouts; probabilities, how many were added
};

}  // namespace neuopt::train
