// N-step PPO with a critic (Algorithm 1 of the paper): rollouts of n steps, a few inner epochs on each.
#pragma once

#include "train/algorithm.h"
#include "train/ppo.h"
#include "train/replay.h"

namespace neuopt::train {

class PpoLearner final : public Algorithm {
 public:
  explicit PpoLearner(SizeContext& context);

  void learn() override;
  const Rows& last_rows() const override { return chunk_; }

 private:
  void roll_out_chunk();
  void update();
  void inner_epoch(const DecodePlan& plan, bool first);

  SizeContext& context_;
  PpoOptions options_;
  CriticNetwork critic_;
  Chunk chunk_;
  torch::Tensor old_values_;  // (n, B, 3) of the first inner epoch
  Replay roll_out_replay_, update_replay_;
};

}  // namespace neuopt::train
