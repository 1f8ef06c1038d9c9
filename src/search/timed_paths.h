// The shortest closed routes through sets of customers that are in time: paths from the depot by the set they have
// served and their last customer, each set and customer with all paths of which no other is both cheaper and earlier.
#pragma once

#include <cstdint>
#include <vector>

#include "env/instance_view.h"

namespace neuopt::search {

/// Sets of customers are bit masks; customer c is bit c. Both instances must outlive it.
class TimedPaths {
 public:
  /// Costs are the file's, times the search's.
  TimedPaths(const Instance& instance, const SearchInstance& search);

  /// Cost of the shortest route through a set; infinite where none is in time.
  double route_cost(int set) const { return best_[static_cast<std::size_t>(set)].cost; }

  /// That route, as nodes of the instance without the depot.
  std::vector<int> route(int set) const;

 private:
  struct Path {
    double cost = 0;
    std::int32_t time = 0;  // at which it leaves its last customer
    int last = -1;          // customer
    int before = -1;        // path without the last customer; -1: from the depot
  };

  void extend(int set, int path);
  void offer(int set, const Path& path);
  void close(int set);

  int node(int customer) const { return search_.depots + customer; }
  double cost(int from, int to) const;
  std::int32_t travel(int from, int to) const { return env::travel_time(view_, from, to); }

  const Instance& instance_;
  const SearchInstance& search_;
  env::InstanceView view_;
  std::vector<Path> paths_;
  std::vector<std::vector<int>> of_set_;  // paths that serve each set
  std::vector<Path> best_;                // the cheapest closed route of each set; `before` is its path
};

}  // namespace neuopt::search
