// One search (copy) of a session, all but the network: tour, loads, status, augmentation, stall counter, best tour.
// A host backend reads what the network sees, builds an action and hands it back with `take`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/philox.h"
#include "env/augment.h"
#include "env/problem_view.h"
#include "env/routes.h"
#include "env/step.h"
#include "kopt/tour.h"
#include "policy/backend.h"

namespace neuopt::backends {

/// The instance of a copy. Throws InputError when it is not of the network's problem or has fewer than 3 search nodes.
const SearchInstance& checked_instance(const policy::Copy& copy, const policy::Architecture& architecture);

class CopyState {
 public:
  /// Throws InputError when the instance is not of the network's problem, has fewer than 3 search nodes, or the start
  /// is not a tour. A start that is not feasible has an infinite best cost until a feasible solution is found.
  CopyState(const policy::Copy& copy, const policy::Architecture& architecture, const policy::SessionOptions& options);
  CopyState(CopyState&&) = default;  // the views keep pointing to the arrays that moved with them

  // What the network sees. -----------------------------------------------------------------------------------------

  int nodes() const { return problem_.nodes; }
  std::span<const int> order() const { return order_; }        // (N) nodes by position
  std::span<const int> position() const { return position_; }  // (N) position of each node
  kopt::TourView tour() { return {nodes(), order_.data(), position_.data()}; }
  int previous_anchor() const { return status_.previous_anchor; }
  /// (N, features) row by row, with the augmented coordinates.
  void write_features(float* out) const;
  /// (9) ES features.
  void write_exploration(float* out) const;
  /// Augmentations drawn so far: for the TSP the features stay as they are until it changes.
  std::uint32_t augmentations() const { return augmentations_; }
  /// The random number in [0, 1) for choice k (0: the S-move) of the step to come.
  float uniform(int k) const;

  // One step. --------------------------------------------------------------------------------------------------------

  /// 1. applies the action, 2. keeps a new best, 3. counts the stall and draws a new augmentation when it is due.
  /// Returns the rewards, which a search does not need; `mean_improvement` (E[r]) scales one of them.
  env::Reward take(const kopt::Action& action, std::span<const int> chosen, float mean_improvement = 0);

  // Results. ---------------------------------------------------------------------------------------------------------

  const env::SearchStatus& status() const { return status_; }
  int steps() const { return status_.history.steps; }
  const std::vector<int>& best_tour() const { return best_order_; }
  /// Solutions visited so far that were feasible, the start not among them.
  long feasible_steps() const { return feasible_steps_; }
  /// The last step, as observers get it; valid until the next one.
  policy::StepRecord record(int index) const;

 private:
  void draw_augmentation();

  env::ProblemView problem_;
  env::GireParameters gire_;
  Random random_;
  std::uint32_t instance_id_, copy_id_;
  int stall_limit_;

  std::vector<int> order_, position_, best_order_, scratch_;  // (N)
  std::vector<float> load_up_to_, load_after_, route_load_;   // (N), (N), (D); empty for the TSP
  std::vector<float> seen_x_, seen_y_;                        // (N) augmented coordinates
  env::LoadsView loads_{};
  env::SearchStatus status_{};
  std::uint32_t augmentations_ = 0;
  int stalled_ = 0;  // steps since the last new best or augmentation
  long feasible_steps_ = 0;

  std::vector<int> last_chosen_;
  int last_k_ = 1;
  bool last_augmented_ = false;
};

/// The part of a session that only reads the copies; a host backend adds `advance`.
class CopySession : public policy::Session {
 public:
  CopySession(std::span<const policy::Copy> copies, const policy::Architecture& architecture,
              const policy::SessionOptions& options);

  int copies() const override { return static_cast<int>(copies_.size()); }
  env::SearchStatus status(int copy) const override { return copies_.at(static_cast<std::size_t>(copy)).status(); }
  std::vector<int> best_tour(int copy) const override { return copies_.at(static_cast<std::size_t>(copy)).best_tour(); }
  std::vector<int> current_tour(int copy) const override;
  double feasible_share() const override;
  void observe(policy::StepObserver observer) override { observer_ = std::move(observer); }

 protected:
  /// Reports the last step of every copy, in order, when there is an observer.
  void report_step() const;

  std::vector<CopyState> copies_;
  policy::StepObserver observer_;
};

}  // namespace neuopt::backends
