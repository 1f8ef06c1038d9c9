#include "search/timed_paths.h"

#include <algorithm>
#include <limits>

#include "env/host_instance.h"

namespace neuopt::search {

TimedPaths::TimedPaths(const Instance& instance, const SearchInstance& search)
    : instance_(instance),
      search_(search),
      view_(env::view_of(search, {}, {})),
      of_set_(std::size_t{1} << search.customers()) {
  best_.resize(of_set_.size());
  for (int customer = 0; customer < search.customers(); ++customer) {
    RouteClock clock;
    clock.visit(travel(0, node(customer)), search.times[static_cast<std::size_t>(node(customer))]);
    if (clock.late == 0)
      offer(1 << customer, {.cost = cost(0, node(customer)), .time = clock.time, .last = customer, .before = -1});
  }
  for (int set = 1; set < static_cast<int>(of_set_.size()); ++set) {
    const std::vector<int> paths = of_set_[static_cast<std::size_t>(set)];
    for (const int path : paths) extend(set, path);
    close(set);
  }
}

double TimedPaths::cost(int from, int to) const {
  return instance_.distance(search_.node_of[static_cast<std::size_t>(from)],
                            search_.node_of[static_cast<std::size_t>(to)]);
}

/// A path goes on to every customer that it can still serve in time.
void TimedPaths::extend(int set, int path) {
  for (int next = 0; next < search_.customers(); ++next) {
    if (set >> next & 1) continue;
    const Path from = paths_[static_cast<std::size_t>(path)];
    RouteClock clock{.time = from.time};
    clock.visit(travel(node(from.last), node(next)), search_.times[static_cast<std::size_t>(node(next))]);
    if (clock.late == 0)
      offer(set | 1 << next,
            {.cost = from.cost + cost(node(from.last), node(next)), .time = clock.time, .last = next, .before = path});
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
  best.cost = std::numeric_limits<double>::infinity();
  for (const int path : of_set_[static_cast<std::size_t>(set)]) {
    const Path& from = paths_[static_cast<std::size_t>(path)];
    RouteClock clock{.time = from.time};
    clock.visit(travel(node(from.last), 0), search_.times[0]);
    const double closed = from.cost + cost(node(from.last), 0);
    if (clock.late == 0 && closed < best.cost) best = {.cost = closed, .time = 0, .last = -1, .before = path};
  }
}

std::vector<int> TimedPaths::route(int set) const {
  std::vector<int> nodes;
  for (int path = best_[static_cast<std::size_t>(set)].before; path >= 0;
       path = paths_[static_cast<std::size_t>(path)].before)
    nodes.push_back(search_.node_of[static_cast<std::size_t>(node(paths_[static_cast<std::size_t>(path)].last))]);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace neuopt::search
