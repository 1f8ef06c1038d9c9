// The kick of the TSP: two short segments that follow one another change places (a double bridge with near ends).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "local/kicks/draws.h"
#include "local/tsp_search.h"

namespace neuopt::local {

/// Remembers reversals, so that they can be undone.
struct ReversalJournal {
  std::vector<std::pair<int, int>> reversals;  // first position, length

  void reversed(int first, int length) { reversals.emplace_back(first, length); }
};

class TspKicks {
 public:
  static constexpr double kFirstTemperature = 0.3, kLastTemperature = 0.01;

  TspKicks(const LocalTask& task, std::vector<int> start)
      : order_(std::move(start)),
        workspace_(LocalSearch<env::Tsp>::bytes(task.instance.nodes) / sizeof(double) + 1),
        search_(LocalSearch<env::Tsp>::start(SerialLanes{}, task, order_.data(), workspace_.data())) {}

  /// There are no violations.
  static double penalties() { return 0; }

  bool can_kick() const { return search_.view.tour.nodes >= 8; }

  /// Kicks and improves; returns what both changed.
  double kick(KickDraws& draws) {
    const TspView& view = search_.view;
    const kopt::TourView& tour = view.tour;
    const int longest = std::min(kLongest, (tour.nodes - 2) / 3);
    const int position = draws.below(tour.nodes), first = 1 + draws.below(longest), second = 1 + draws.below(longest);
    const auto node = [&](int steps) { return kopt::node_at_rank(tour, position, steps); };
    const int p = node(0), e = node(1), w = node(first), n = node(first + 1), c = node(first + second),
              next = node(first + second + 1);
    if (!view.is_free(p, e) || !view.is_free(w, n) || !view.is_free(c, next)) return 0;
    const double delta =
        view.cost(p, n) + view.cost(c, e) + view.cost(w, next) - view.cost(p, e) - view.cost(w, n) - view.cost(c, next);
    move_segment(SerialLanes{}, view, {e, w, p, n, 0, first, 0}, c, next, journal_);
    for (const int changed : {p, e, w, n, c, next}) search_.queue.push(changed);
    int moves_left = kMostMoves;
    return delta + search_.improve(SerialLanes{}, journal_, moves_left);
  }

  void keep() { journal_.reversals.clear(); }

  void undo() {
    for (auto it = journal_.reversals.rbegin(); it != journal_.reversals.rend(); ++it)
      reverse_positions(SerialLanes{}, search_.view.tour, it->first, it->second);
    journal_.reversals.clear();
  }

  /// Remembers the current tour, as quickly as can be: there are many new bests.
  void note_best() { best_ = order_; }

  /// The tour that was noted last, node 0 first.
  std::vector<int> best() const {
    std::vector<int> order = best_;
    std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
    return order;
  }

 private:
  static constexpr int kLongest = 30;      // nodes of a segment
  static constexpr int kMostMoves = 1000;  // after one kick

  std::vector<int> order_, best_;
  std::vector<double> workspace_;
  LocalSearch<env::Tsp> search_;
  ReversalJournal journal_;
};

}  // namespace neuopt::local
