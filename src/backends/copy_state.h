// One search (copy) of a session on the host, all but the network. A host backend reads what the network sees, builds
// an action and hands it back with `take`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backends/action_builder.h"
#include "env/search.h"
#include "policy/backend.h"

namespace neuopt::backends {

/// The instance of a copy. Throws InputError when it is not of the network's problem or has fewer than 3 search nodes.
const SearchInstance& checked_instance(const policy::Copy& copy, const policy::Architecture& architecture);

/// What every session asks of a restart (policy::Session): copies of the session, once each, and instances of their
/// sizes. `nodes_of` tells the nodes of a copy. Throws InputError.
void check_restart(std::span<const int> which, std::span<const policy::Copy> onto, int copies,
                   const std::function<int(int copy)>& nodes_of, const policy::Architecture& architecture);

/// The neighbours of a copy that is polished. Throws InputError when it has none.
const local::Neighbours& checked_neighbours(const policy::Copy& copy);

/// The rules of a session's searches.
env::SearchRules search_rules(const policy::SessionOptions& options);

class CopyState {
 public:
  /// Throws InputError when the instance is not of the network's problem, has fewer than 3 search nodes, or the start
  /// is not a tour. A start that is not feasible has an infinite best cost until a feasible solution is found.
  CopyState(const policy::Copy& copy, const policy::Architecture& architecture, const policy::SessionOptions& options);
  /// Memory of a copy, about.
  static double bytes(ProblemKind kind, int nodes, const policy::SessionOptions& options);
  CopyState(CopyState&&) = default;  // the view keeps pointing to the table that moved with it
  CopyState& operator=(CopyState&&) = default;

  // What the network sees. -----------------------------------------------------------------------------------------

  int nodes() const { return instance_.nodes; }
  std::span<const int> order() const { return order_; }        // (N) nodes by position
  std::span<const int> position() const { return position_; }  // (N) position of each node
  kopt::TourView tour() { return {nodes(), order_.data(), position_.data()}; }
  Standing standing() const { return {env::above_best(state_.status.cost, best_cost()), &instance_, foresight_}; }
  int previous_anchor() const { return state_.status.previous_anchor; }
  /// (N, features) row by row, with the augmented coordinates.
  void write_features(float* out);
  /// (9) ES features.
  void write_exploration(float* out) const;
  /// Augmentations drawn so far.
  std::uint32_t augmentations() const { return state_.augmentations; }
  /// The random number in [0, 1) for choice k (0: the S-move) of the step to come.
  float uniform(int k) const { return env::choice_number(rules_, state_, k); }

  // One step. --------------------------------------------------------------------------------------------------------

  /// Takes the step of env/search.h with this action. Returns the rewards, which a search does not need;
  /// `mean_improvement` (E[r]) scales one of them.
  env::Reward take(const kopt::Action& action, std::span<const int> chosen, float mean_improvement = 0);

  // Beyond the paper. ------------------------------------------------------------------------------------------------

  /// What is due after that many steps of the session: the polish, the return to the best tour.
  void look_after(long session_step);

  // Results. ---------------------------------------------------------------------------------------------------------

  const env::SearchStatus& status() const { return state_.status; }
  int steps() const { return state_.status.history.steps; }
  /// The best tour, visited or polished, and its cost.
  const std::vector<int>& best_tour() const { return polished_is_best() ? polished_order_ : best_order_; }
  double best_cost() const { return polished_is_best() ? polished_cost_ : state_.status.best_cost; }
  /// Solutions visited so far that were feasible, the start not among them.
  long feasible_steps() const { return state_.feasible_steps; }
  /// The last step, as observers get it; valid until the next one.
  policy::StepRecord record(int index) const;

 private:
  bool polished_is_best() const { return polished_cost_ < state_.status.best_cost; }
  void polish();
  void return_to_best();
  /// The arrays as a batch of one search.
  env::SearchBatch batch();

  ProblemKind kind_;
  env::SearchRules rules_;
  std::vector<std::byte> node_table_;  // (N) of the problem's Node
  env::InstanceView instance_;
  std::vector<int> order_, position_, best_order_, scratch_;  // (N)
  std::vector<std::byte> routes_;                             // (N) of the problem's Route
  env::SearchState state_{};

  int polish_interval_, restart_interval_;  // 0: never
  int foresight_;                           // as SessionOptions has it
  local::NeighbourView neighbours_{};
  std::vector<int> polished_order_;  // (N); empty without polish
  double polished_cost_;             // of it, infinite before there is one
  std::vector<std::byte> workspace_;

  std::vector<int> last_chosen_;
  int last_k_ = 1;
  bool last_augmented_ = false;
  bool last_polished_ = false;  // the polish after the last step found the best tour
};

/// The part of a session that only reads the copies; a host backend adds `advance`.
class CopySession : public policy::Session {
 public:
  CopySession(std::span<const policy::Copy> copies, const policy::Architecture& architecture,
              const policy::SessionOptions& options);

  int copies() const override { return static_cast<int>(copies_.size()); }
  double best_cost(int copy) const override { return copies_.at(static_cast<std::size_t>(copy)).best_cost(); }
  env::SearchStatus status(int copy) const override { return copies_.at(static_cast<std::size_t>(copy)).status(); }
  std::vector<int> best_tour(int copy) const override { return copies_.at(static_cast<std::size_t>(copy)).best_tour(); }
  std::vector<int> current_tour(int copy) const override;
  policy::Visits visits() const override;
  void observe(policy::StepObserver observer) override { observer_ = std::move(observer); }
  void restart(std::span<const int> which, std::span<const policy::Copy> onto) override;

 protected:
  /// Reports the last step of every copy, in order, when there is an observer.
  void report_step() const;

  std::vector<CopyState> copies_;
  policy::StepObserver observer_;
  long steps_taken_ = 0;  // since the session was opened

 private:
  policy::Architecture architecture_;
  policy::SessionOptions options_;
};

}  // namespace neuopt::backends
