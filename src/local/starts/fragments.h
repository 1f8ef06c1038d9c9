// Paths that grow together edge by edge: what savings and greedy edge build their tours of.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/until.h"
#include "local/neighbours.h"

namespace neuopt::local {

class Fragments {
 public:
  /// Single customers first; demands may be empty.
  Fragments(int depots, int customers, std::span<const float> demand)
      : depots_(depots),
        parent_(static_cast<std::size_t>(customers)),
        link_(2 * static_cast<std::size_t>(customers), -1),
        load_(static_cast<std::size_t>(customers), 0.0) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int i = 0; i < customers && !demand.empty(); ++i) load_[i] = demand[static_cast<std::size_t>(depots + i)];
  }

  bool is_end(int node) const { return link_[2 * at(node) + 1] < 0; }
  bool connected(int a, int b) { return root(at(a)) == root(at(b)); }
  double load(int node) { return load_[root(at(node))]; }

  /// Joins two ends of different fragments.
  void join(int a, int b) {
    add_link(a, b);
    add_link(b, a);
    const std::size_t into = root(at(a)), from = root(at(b));
    load_[into] += load_[from];
    parent_[from] = static_cast<int>(into);
  }

  /// All ends, each once.
  std::vector<int> ends() const {
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(parent_.size()); ++i)
      if (is_end(depots_ + i)) found.push_back(depots_ + i);
    return found;
  }

  /// The nodes of each fragment from end to end, in the order of their first ends.
  std::vector<std::vector<int>> paths() const {
    std::vector<std::vector<int>> paths;
    std::vector<bool> seen(parent_.size(), false);
    for (const int end : ends()) {
      if (seen[at(end)]) continue;
      paths.emplace_back();
      for (int node = end, last = -1; node >= 0;) {
        seen[at(node)] = true;
        paths.back().push_back(node);
        const int first = link_[2 * at(node)], second = link_[2 * at(node) + 1];
        const int next = first != last ? first : second;
        last = node;
        node = next;
      }
    }
    return paths;
  }

 private:
  std::size_t at(int node) const { return static_cast<std::size_t>(node - depots_); }
  void add_link(int node, int other) { link_[2 * at(node) + (link_[2 * at(node)] < 0 ? 0 : 1)] = other; }
  std::size_t root(std::size_t i) {
    while (parent_[i] != static_cast<int>(i)) {
      parent_[i] = parent_[static_cast<std::size_t>(parent_[i])];
      i = static_cast<std::size_t>(parent_[i]);
    }
    return i;
  }

  int depots_;
  std::vector<int> parent_;   // of each customer, in the forest that says who belongs together
  std::vector<int> link_;     // (customers, 2) neighbours in the fragment, -1: none
  std::vector<double> load_;  // of a fragment, at its root
};

struct RankedEdge {
  double rank;  // smaller ones go first
  int a, b;     // a < b

  friend bool operator<(const RankedEdge& left, const RankedEdge& right) {
    if (left.rank != right.rank) return left.rank < right.rank;
    return std::pair(left.a, left.b) < std::pair(right.a, right.b);
  }
};

/// Joins fragments along edges, best first, by rounds: at first among the neighbours of each customer, then among the
/// nearest of those that are still ends, until a round joins nothing. rank(a, b) ranks an edge, allowed(a, b) says
/// whether it may join two fragments now. False when there was not enough time.
template <class Rank, class Allowed>
bool join_by_rank(const SearchInstance& instance, const Neighbours& neighbours, Fragments& fragments,
                  const Until& until, Rank&& rank, Allowed&& allowed) {
  constexpr int kSeeAll = 200, kSeeNearest = 8;  // ends that an end sees in later rounds
  std::vector<RankedEdge> edges;
  const auto add = [&](int a, int b) {
    if (!fragments.connected(a, b)) edges.push_back({rank(a, b), std::min(a, b), std::max(a, b)});
  };
  const auto join_all = [&] {
    std::sort(edges.begin(), edges.end());
    int joined = 0;
    for (const RankedEdge& edge : edges) {
      if (!fragments.is_end(edge.a) || !fragments.is_end(edge.b) || fragments.connected(edge.a, edge.b)) continue;
      if (!allowed(edge.a, edge.b)) continue;
      fragments.join(edge.a, edge.b);
      ++joined;
    }
    edges.clear();
    return joined;
  };
  const NeighbourView view = neighbours.view();
  for (int node = instance.depots; node < instance.size(); ++node)
    for (int i = 0; i < view.count; ++i) add(node, view.of(node)[i]);
  if (until.over()) return false;
  join_all();
  do {
    const std::vector<int> ends = fragments.ends();
    const auto lists = neighbours_among(instance, ends, ends.size() <= kSeeAll ? kSeeAll : kSeeNearest, until);
    if (until.over()) return false;
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (const int other : lists[i]) add(ends[i], other);
  } while (join_all() > 0);
  return true;
}

}  // namespace neuopt::local
