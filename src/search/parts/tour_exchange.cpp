#include "search/parts/tour_exchange.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace neuopt::search {
namespace {

/// The new edges by their ends; a node has at most two.
class NewEdges {
 public:
  explicit NewEdges(std::span<const Edge> edges) {
    for (const auto& [a, b] : edges) {
      at_[a].push_back(b);
      at_[b].push_back(a);
    }
  }

  /// Takes an edge away from a node; where it leads, or nothing.
  std::optional<int> take(int node) {
    const auto found = at_.find(node);
    if (found == at_.end() || found->second.empty()) return std::nullopt;
    const int other = found->second.back();
    found->second.pop_back();
    std::vector<int>& back = at_[other];
    back.erase(std::find(back.begin(), back.end(), node));
    return other;
  }

 private:
  std::unordered_map<int, std::vector<int>> at_;
};

/// A stretch of the tour that stays as it is, by positions; it may run over the end of the array.
struct Stretch {
  int first, length;
};

/// The stretches between the removed edges, or nothing when one of these is not in the tour.
std::optional<std::vector<Stretch>> stretches_of(const LongTour& tour, std::span<const Edge> removed) {
  std::vector<int> ends;  // positions before a removed edge
  for (const auto& [a, b] : removed) {
    if (tour.after(a) == b)
      ends.push_back(tour.position[static_cast<std::size_t>(a)]);
    else if (tour.after(b) == a)
      ends.push_back(tour.position[static_cast<std::size_t>(b)]);
    else
      return std::nullopt;
  }
  std::sort(ends.begin(), ends.end());
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const int begin = ends[i] + 1, end = i + 1 < ends.size() ? ends[i + 1] : ends[0] + tour.size();
    stretches.push_back({begin, end - begin + 1});
  }
  return stretches;
}

}  // namespace

LongTour::LongTour(std::span<const int> nodes) : order(nodes.begin(), nodes.end()), position(nodes.size()) {
  for (std::size_t p = 0; p < order.size(); ++p) position[static_cast<std::size_t>(order[p])] = static_cast<int>(p);
}

bool exchange_edges(LongTour& tour, std::span<const Edge> removed, std::span<const Edge> added) {
  const auto stretches = stretches_of(tour, removed);
  if (!stretches || removed.size() != added.size()) return false;
  if (removed.empty()) return true;
  const auto node_at = [&](int p) { return tour.order[static_cast<std::size_t>(p % tour.size())]; };
  std::unordered_map<int, std::pair<std::size_t, bool>> at_end;  // of each end: its stretch, and whether it is the last
  for (std::size_t i = 0; i < stretches->size(); ++i) {
    const auto [first, length] = (*stretches)[i];
    at_end[node_at(first)] = {i, false};
    at_end[node_at(first + length - 1)] = {i, true};
  }
  NewEdges edges(added);
  std::vector<int> order;
  order.reserve(tour.order.size());
  std::size_t visited = 0;
  std::size_t stretch = 0;
  bool backwards = false;
  for (;;) {
    const auto [first, length] = (*stretches)[stretch];
    for (int i = 0; i < length; ++i) order.push_back(node_at(backwards ? first + length - 1 - i : first + i));
    if (++visited == stretches->size()) break;
    const std::optional<int> next = edges.take(order.back());
    if (!next) return false;
    const auto entered = at_end.find(*next);
    if (entered == at_end.end() || entered->second.first == 0) return false;  // back too early
    stretch = entered->second.first;
    backwards = entered->second.second && (*stretches)[stretch].length > 1;
    if (order.size() >= tour.order.size()) return false;
  }
  if (order.size() != tour.order.size()) return false;
  tour = LongTour(order);
  return true;
}

}  // namespace neuopt::search
