// The shortest closed routes through sets of customers that are in time: paths from the depot by the set they have
// served and their last customer, each set and customer with all paths of which no other is both cheaper and earlier.
#pragma once

#include <vector>

#include "problem/schedule.h"

namespace neuopt::search {

/// Sets of customers are bit masks; customer c is bit c.
class TimedPaths {
 public:
  /// Costs and times are the file's, as the verifier counts them. Both must outlive it.
  TimedPaths(const Instance& instance, const std::vector<int>& customers);

  /// Cost of the shortest route through a set; infinite where none is in time.
  double route_cost(int set) const { return best_[static_cast<std::size_t>(set)].cost; }

  /// That route, as nodes of the instance without the depot.
  std::vector<int> route(int set) const { return nodes_of(best_[static_cast<std::size_t>(set)].before); }

 private:
  struct Path {
    double cost = 0;
    double time = 0;  // at which it leaves its last customer
    int last = -1;    // customer
    int before = -1;  // path without the last customer; -1: from the depot
  };

  void extend(int set, int path);
  void offer(int set, const Path& path);
  void close(int set);

  /// The customers of a path, in its order.
  std::vector<int> nodes_of(int path) const;

  const Instance& instance_;
  const std::vector<int>& customers_;
  Scheduler scheduler_;
  std::vector<Path> paths_;
  std::vector<std::vector<int>> of_set_;  // paths that serve each set
  std::vector<Path> best_;                // the cheapest closed route of each set; `before` is its path
};

}  // namespace neuopt::search
