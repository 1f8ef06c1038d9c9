// The copies of one instance, in one or more sessions of the backend that advance in turn.
#pragma once

#include <memory>
#include <vector>

#include "search/solver.h"

namespace neuopt::search {

/// The best over all copies.
struct Best {
  double cost = 0;         // in the units of the search
  std::vector<int> order;  // tour
};

class CopyGroups {
 public:
  /// Opens the sessions. `starts[c]` is the tour that copy c begins with. The instance must outlive this.
  CopyGroups(const SearchInstance& instance, const std::shared_ptr<const policy::Model>& model,
             policy::Backend& backend, std::vector<std::vector<int>> starts, const SolveOptions& options,
             const SolveCallbacks& callbacks);

  /// Takes up to `wanted` steps on every copy: fewer when the pace or the stop flag says so. Returns the steps that
  /// all copies took; 0 when the time or the stop flag ended the search.
  long advance(long wanted);

  long step() const { return step_; }
  int copies() const { return copies_; }
  double best_cost() const;
  Best best() const;
  double feasible_share() const;

 private:
  struct Group {
    std::unique_ptr<policy::Session> session;
    int copies;
  };

  bool stopped() const { return stop_ != nullptr && *stop_; }

  std::vector<Group> groups_;
  int copies_ = 0;
  long step_ = 0;
  Pace pace_;
  const std::atomic<bool>* stop_;
};

}  // namespace neuopt::search
