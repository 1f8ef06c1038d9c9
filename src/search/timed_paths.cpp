#include "search/timed_paths.h"

#include <algorithm>

#include "core/numbers.h"

namespace neuopt::search {

TimedPaths::TimedPaths(const Instance& instance, const std::vector<int>& customers)
    : instance_(instance),
      customers_(customers),
      scheduler_(instance),
      of_set_(std::size_t{1} << customers.size()),
      best_(of_set_.size()) {
  extend(0, -1);
  for (int set = 1; set < static_cast<int>(of_set_.size()); ++set) {
    const std::vector<int> paths = of_set_[static_cast<std::size_t>(set)];
    for (const int path : paths) extend(set, path);
    close(set);
  }
}

/// A path goes on to every customer that it can still serve in time.
void TimedPaths::extend(int set, int path) {
  std::vector<int> nodes = nodes_of(path);
  const double cost = path < 0 ? 0 : paths_[static_cast<std::size_t>(path)].cost;
  const int from = nodes.empty() ? instance_.depot : nodes.back();
  for (int next = 0; next < static_cast<int>(customers_.size()); ++next) {
    if (set >> next & 1) continue;
    const int to = customers_[static_cast<std::size_t>(next)];
    nodes.push_back(to);
    const ScheduledStop stop = scheduler_.schedule(nodes).stops.back();
    nodes.pop_back();
    if (stop.late > 0) continue;
    offer(set | 1 << next,
          {.cost = cost + instance_.distance(from, to), .time = stop.departure, .last = next, .before = path});
  }
}

/// Keeps a path unless another one that ends alike is no dearer and no later.
void TimedPaths::offer(int set, const Path& path) {
  std::vector<int>& rivals = of_set_[static_cast<std::size_t>(set)];
  const auto beats = [](const Path& a, const Path& b) {
    return a.last == b.last && a.cost <= b.cost && a.time <= b.time;
  };
  const auto at = [&](int i) -> const Path& { return paths_[static_cast<std::size_t>(i)]; };
  if (std::any_of(rivals.begin(), rivals.end(), [&](int i) { return beats(at(i), path); })) return;
  std::erase_if(rivals, [&](int i) { return beats(path, at(i)); });
  rivals.push_back(static_cast<int>(paths_.size()));
  paths_.push_back(path);
}

void TimedPaths::close(int set) {
  Path& best = best_[static_cast<std::size_t>(set)];
  best.cost = kInfinity;
  for (const int path : of_set_[static_cast<std::size_t>(set)]) {
    const std::vector<int> nodes = nodes_of(path);
    const double closed =
        paths_[static_cast<std::size_t>(path)].cost + instance_.distance(nodes.back(), instance_.depot);
    if (closed < best.cost && !(scheduler_.schedule(nodes).late > 0))
      best = {.cost = closed, .time = 0, .last = -1, .before = path};
  }
}

std::vector<int> TimedPaths::nodes_of(int path) const {
  std::vector<int> nodes;
  for (; path >= 0; path = paths_[static_cast<std::size_t>(path)].before)
    nodes.push_back(customers_[static_cast<std::size_t>(paths_[static_cast<std::size_t>(path)].last)]);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace neuopt::search
