// Group rollouts: every search of a batch is branched into G copies, all of them are rolled out for h steps, and the
// rows that say most about the policy are chosen for updates. What a branch gains over the mean of its group tells how
// good its actions were; a critic is needed only to look beyond the horizon. See docs/training-internals.md.
#pragma once

#include <optional>

#include "train/algorithm.h"
#include "train/branch_critic.h"
#include "train/branch_polish.h"
#include "train/group_rows.h"
#include "train/missed_learner.h"
#include "train/replay.h"

namespace neuopt::train {

class GroupLearner final : public Algorithm {
 public:
  explicit GroupLearner(SizeContext& context);

  void begin_batch(int batch_number) override;
  void learn() override;
  std::optional<GroupStatistics> statistics() const override;
  const Rows& last_rows() const override { return rows_; }

  /// The first half of learn(): branches, rolls out, and leaves each search where its first branch ended. The first and
  /// not the best, so that the searches go on as the policy would take them.
  void roll_out();
  /// An update on rows of the last rollout. The second half of learn() is one for each minibatch, with draw 0. Draws 1
  /// to 3 choose the rows of all minibatches anew.
  void learn_minibatch(int minibatch, int draw);
  /// The last rollout; row (t * B + b) * G + g is step t of branch g of search b.
  const Chunk& rollout() const { return chunk_; }
  /// (h, B, G): its rewards-to-go, with what the critic says is to come after it.
  const torch::Tensor& returns() const { return returns_; }
  const std::optional<BranchCritic>& critic() const { return critic_; }
  const std::optional<BranchPolish>& polish() const { return polish_; }
  const std::optional<MissedLearner>& missed() const { return missed_; }
  /// Where the branches stand after it.
  const BatchEnvironment& branches() const { return branches_; }

 private:
  void roll_out_branches();
  torch::Tensor raw_advantages();
  void weigh_rows();
  torch::Tensor explained() const;
  void choose_rows(int minibatch, int draw);
  void update();
  void inner_epoch(const DecodePlan& plan);

  SizeContext& context_;
  BatchEnvironment branches_;            // B * G searches
  SampleKey key_;                        // of the branches
  Chunk chunk_;                          // h steps of all branches
  std::optional<BranchCritic> critic_;   // where one looks beyond the horizon
  std::optional<BranchPolish> polish_;   // where it decides the rewards
  std::optional<MissedLearner> missed_;  // where exchanges are learned that were not drawn
  torch::Tensor returns_;                // (h, B, G)
  torch::Tensor advantages_;             // of the rows that may be chosen, those of the first steps; scaled
  std::optional<RowChoice> choice_;      // among these
  Rows rows_;                            // of an update
  torch::Tensor advantage_, weight_;     // of these
  torch::Tensor return_;                 // of these; where a critic learns it
  torch::Tensor sums_;                   // (4): of GroupStatistics, in its order
  std::int64_t place_ = 0;               // of this batch among those of the team
  int rollouts_ = 0;                     // of this batch
  Replay roll_out_replay_, update_replay_;
};

}  // namespace neuopt::train
