// The kick of problems with routes: strings of customers are taken out of routes that lie together and put in again one
// by one, each at the cheapest place that has room and time, some places overlooked at random (after Christiaens and
// Vanden Berghe, "Slack induction by string removals", 2020).
#pragma once

#include <utility>
#include <vector>

#include "local/kicks/draws.h"
#include "local/route_search.h"

namespace neuopt::local {

/// Remembers routes as they were before they changed.
template <class Problem>
class RouteJournal {
 public:
  explicit RouteJournal(const Routes<Problem>& routes);

  void changes(int route);
  void forget();
  void undo(const env::InstanceView& instance);
  /// Routes with customers, as they were before the changes that are remembered.
  int in_use() const { return in_use_; }

 private:
  bool is_used(int route) const { return routes_.link(route, 0) != route; }

  Routes<Problem> routes_;
  int in_use_ = 0;
  std::vector<char> saved_;  // (D)
  std::vector<int> changed_, lengths_, nodes_;
};

template <class Problem>
class StringKicks {
 public:
  static constexpr double kFirstTemperature = 0.3, kLastTemperature = 0.01;

  StringKicks(const LocalTask& task, const std::vector<int>& start);

  bool can_kick() const { return search_.view.routes.nodes - search_.view.routes.depots >= 2; }

  /// What violations of the present solution cost.
  double penalties() const;

  /// Kicks and improves; returns what both changed, penalties included, infinite when a customer found no place.
  double kick(KickDraws& draws);
  void keep() { journal_.forget(); }
  void undo() { journal_.undo(search_.view.instance); }
  /// Remembers the current solution, as quickly as can be: there are many new bests.
  void note_best();
  /// The solution that was noted last, as the search wants it.
  std::vector<int> best();

 private:
  /// A place beside a node.
  struct Spot {
    int node = -1, direction = 0;
    double cost = 0;
  };

  int customers() const { return view().routes.nodes - view().routes.depots; }
  const RoutesView<Problem>& view() const { return search_.view; }
  void remove_strings(KickDraws& draws);
  void remove_string(KickDraws& draws, int customer, int longest);
  void remove(int customer);
  void rank_removed(KickDraws& draws);
  void offer_spot(KickDraws& draws, int customer, int node, int direction, Spot& best);
  Spot cheapest_spot(KickDraws& draws, int customer);
  void insert(int customer, const Spot& spot);
  double penalty_of(int route) const;
  void refresh(int route, double before);
  void touch(int node);

  std::vector<double> workspace_;
  LocalSearch<Problem> search_;
  RouteJournal<Problem> journal_;
  std::vector<std::int32_t> best_;               // (N, 2) the links of the routes, at the best
  std::vector<int> strings_from_;                // routes that have lost a string
  std::vector<std::pair<double, int>> removed_;  // customers with the rank by which they come back
  double delta_ = 0;                             // of the kick so far
  int until_blink_ = 0;                          // places that are looked at before one is overlooked
};

}  // namespace neuopt::local
