#include "local/kicks/string_removal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace neuopt::local {
namespace {

constexpr double kMeanRemoved = 10;  // customers that a kick takes out
constexpr double kLongestString = 10;
constexpr double kSplitShare = 0.5;    // of strings that keep a part in their middle
constexpr double kLongerSplit = 0.01;  // chance that this part is one longer
constexpr double kBlinks = 0.01;       // share of places that are overlooked
constexpr int kMostMoves = 1000;       // of the local search after a kick
constexpr int kLookEverywhere = 2000;  // nodes up to which a customer may go anywhere when nothing near has room

}  // namespace

template <class Problem>
RouteJournal<Problem>::RouteJournal(const Routes<Problem>& routes)
    : routes_(routes), saved_(static_cast<std::size_t>(routes.depots), 0) {
  for (int depot = 0; depot < routes.depots; ++depot) in_use_ += is_used(depot) ? 1 : 0;
}

template <class Problem>
void RouteJournal<Problem>::changes(int route) {
  if (saved_[static_cast<std::size_t>(route)] != 0) return;
  saved_[static_cast<std::size_t>(route)] = 1;
  changed_.push_back(route);
  const std::size_t before = nodes_.size();
  for (int node = routes_.link(route, 0); node != route; node = routes_.link(node, 0)) nodes_.push_back(node);
  lengths_.push_back(static_cast<int>(nodes_.size() - before));
}

template <class Problem>
void RouteJournal<Problem>::forget() {
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    saved_[static_cast<std::size_t>(changed_[i])] = 0;
    in_use_ += (is_used(changed_[i]) ? 1 : 0) - (lengths_[i] > 0 ? 1 : 0);
  }
  changed_.clear();
  lengths_.clear();
  nodes_.clear();
}

template <class Problem>
void RouteJournal<Problem>::undo(const env::InstanceView& instance) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    int last = changed_[i];
    for (int left = lengths_[i]; left > 0; --left) {
      routes_.join(last, nodes_[at], 0);
      last = nodes_[at++];
    }
    routes_.join(last, changed_[i], 0);
    routes_.refresh(instance, changed_[i]);
    routes_.find_empty(changed_[i], changed_[i]);
  }
  forget();
}

template <class Problem>
StringKicks<Problem>::StringKicks(const LocalTask& task, const std::vector<int>& start)
    : workspace_(LocalSearch<Problem>::bytes(task.instance.nodes) / sizeof(double) + 1),
      search_(LocalSearch<Problem>::start(SerialLanes{}, task, start.data(), workspace_.data())),
      journal_(search_.view.routes) {}

template <class Problem>
void StringKicks<Problem>::note_best() {
  const std::int32_t* links = view().routes.links;
  best_.assign(links, links + 2 * view().routes.nodes);
}

template <class Problem>
std::vector<int> StringKicks<Problem>::best() {
  std::vector<int> order(best_.size() / 2);
  Routes<Problem> routes = view().routes;
  routes.links = best_.data();
  write_order(routes, order.data());
  return order;
}

template <class Problem>
double StringKicks<Problem>::kick(KickDraws& draws) {
  delta_ = 0;
  removed_.clear();
  strings_from_.clear();
  until_blink_ = static_cast<int>(std::log(1 - draws.unit()) / std::log(1 - kBlinks));
  remove_strings(draws);
  rank_removed(draws);
  for (std::size_t i = 0; i < removed_.size(); ++i) {
    const Spot spot = cheapest_spot(draws, removed_[i].second);
    if (spot.node < 0) {
      search_.queue.clear(SerialLanes{});
      return std::numeric_limits<double>::infinity();
    }
    insert(removed_[i].second, spot);
  }
  int moves_left = kMostMoves;
  return delta_ + search_.improve(SerialLanes{}, journal_, moves_left);
}

template <class Problem>
void StringKicks<Problem>::touch(int node) {
  if (!view().is_depot(node)) search_.queue.push(node);
}

template <class Problem>
double StringKicks<Problem>::penalty_of(int route) const {
  return view().load_cost(view().routes.total(route), 0) + view().time_cost_now(route, route);
}

template <class Problem>
double StringKicks<Problem>::penalties() const {
  double sum = 0;
  for (int route = 0; route < view().routes.depots; ++route) sum += penalty_of(route);
  return sum;
}

/// Brings a route up to date and the change of its penalty, which was `before`, to the sum.
template <class Problem>
void StringKicks<Problem>::refresh(int route, double before) {
  view().routes.refresh(view().instance, route);
  delta_ += penalty_of(route) - before;
}

template <class Problem>
void StringKicks<Problem>::remove_strings(KickDraws& draws) {
  const Routes<Problem>& routes = view().routes;
  const int seed = routes.depots + draws.below(customers());
  const double mean_size = static_cast<double>(customers()) / journal_.in_use();
  const double longest = std::min(kLongestString, mean_size);
  const double most_strings = 4 * kMeanRemoved / (1 + longest) - 1;
  const int strings = static_cast<int>(1 + draws.unit() * most_strings);
  const auto take_from = [&](int customer) {
    const int route = view().route(customer);
    if (route < 0 || std::find(strings_from_.begin(), strings_from_.end(), route) != strings_from_.end()) return;
    strings_from_.push_back(route);
    remove_string(draws, customer, static_cast<int>(std::min<double>(longest, routes.size(route))));
  };
  take_from(seed);
  const std::int32_t* near = view().neighbours.of(seed);
  for (int i = 0; i < view().neighbours.count && static_cast<int>(strings_from_.size()) < strings; ++i)
    take_from(near[i]);
}

/// Takes out up to `longest` customers around one of them, or keeps a few in the middle.
template <class Problem>
void StringKicks<Problem>::remove_string(KickDraws& draws, int customer, int longest) {
  const Routes<Problem>& routes = view().routes;
  const int route = view().route(customer), size = routes.size(route), rank = routes.rank[customer];
  const double penalty = penalty_of(route);
  journal_.changes(route);
  const int taken = 1 + draws.below(std::max(longest, 1));
  int kept = 0;
  if (taken > 1 && taken < size && draws.unit() < kSplitShare)
    for (kept = 1; taken + kept < size && draws.unit() < kLongerSplit;) ++kept;
  const int span = taken + kept;
  const int earliest = std::max(1, rank - span + 1), latest = std::min(rank, size - span + 1);
  const int first = earliest + draws.below(latest - earliest + 1);
  const int kept_from = kept > 0 ? 1 + draws.below(taken - 1) : span;  // steps from the first one
  int node = customer;
  for (int at = rank; at > first; --at) node = routes.ahead(node, 1);
  for (int i = 0; i < span; ++i) {
    const int next = routes.ahead(node, 0);
    if (i < kept_from || i >= kept_from + kept) remove(node);
    node = next;
  }
  refresh(route, penalty);
  view().routes.find_empty(route, route);
}

/// The route is walked anew by the caller.
template <class Problem>
void StringKicks<Problem>::remove(int customer) {
  if (view().fixed.partners != nullptr && view().fixed.partners[2 * customer] >= 0) return;
  const Routes<Problem>& routes = view().routes;
  const int before = routes.ahead(customer, 1), after = routes.ahead(customer, 0);
  const double left = routes.edge(customer, 1), right = routes.edge(customer, 0);
  routes.join(before, after, 0);
  routes.set_edge(view().instance, before, after);
  delta_ += routes.edge(before, 0) - left - right;
  routes.route[customer] = -1;
  touch(before);
  touch(after);
  removed_.emplace_back(0.0, customer);
}

/// In which order customers come back: at random, large demands first, far from the depot first, or near first; with
/// time windows also short ones first, early ones first, or those that close late.
template <class Problem>
void StringKicks<Problem>::rank_removed(KickDraws& draws) {
  const int choice = draws.below(Problem::traits.windows ? 17 : 11);
  for (auto& [rank, customer] : removed_) {
    if constexpr (Problem::traits.windows) {
      const StopTimes& times = RouteTimes::stop(view().instance, customer);
      if (choice >= 11) {
        rank = choice < 13 ? times.closes - times.opens : choice < 15 ? times.opens : -times.closes;
        continue;
      }
    }
    if (choice < 4)
      rank = draws.unit();
    else if (choice < 8)
      rank = -view().demand(customer);
    else
      rank = (choice < 10 ? -1 : 1) * view().cost(0, customer);
  }
  std::sort(removed_.begin(), removed_.end());
}

template <class Problem>
void StringKicks<Problem>::offer_spot(KickDraws& draws, int customer, int node, int direction, Spot& best) {
  if (until_blink_-- == 0) {
    until_blink_ = static_cast<int>(std::log(1 - draws.unit()) / std::log(1 - kBlinks));
    return;
  }
  const int next = view().ahead(node, direction);
  const double cost = view().cost(node, customer) + view().cost(customer, next) - view().edge(node, direction);
  if ((best.node >= 0 && !(cost < best.cost)) || !view().is_free(node, next)) return;
  if constexpr (Problem::traits.windows) {
    const NewRoute with{node, direction, next, direction, 1, {{customer, customer, 0, 1}}};
    const std::int64_t now = view().routes.times.warp[view().route(node)];
    if (least_warp(view().instance, view().routes, with, now) > now) return;
  }
  best = {node, direction, cost};
}

template <class Problem>
typename StringKicks<Problem>::Spot StringKicks<Problem>::cheapest_spot(KickDraws& draws, int customer) {
  const Routes<Problem>& routes = view().routes;
  const double room = static_cast<double>(kLoadLimit) - view().demand(customer);
  const auto has_room = [&](int node) { return view().route(node) >= 0 && routes.total(view().route(node)) <= room; };
  Spot best;
  const std::int32_t* near = view().neighbours.of(customer);
  for (int i = 0; i < view().neighbours.count; ++i)
    if (has_room(near[i]))
      for (const int direction : {0, 1}) offer_spot(draws, customer, near[i], direction, best);
  if (best.node >= 0) return best;
  const auto offer = [&](int node) {
    if (has_room(node) && !(view().is_depot(node) && routes.ahead(node, 0) == node))
      offer_spot(draws, customer, node, 0, best);
  };
  // Nothing near has room: anywhere, or beside the neighbours of neighbours where everywhere is too far to look.
  if (routes.nodes <= kLookEverywhere)
    for (int node = 0; node < routes.nodes; ++node) offer(node);
  else
    for (int i = 0; i < view().neighbours.count; ++i)
      for (int k = 0; k < view().neighbours.count; ++k) offer(view().neighbours.of(near[i])[k]);
  if (best.node >= 0 || *routes.empty < 0) return best;
  return {*routes.empty, 0, view().cost(*routes.empty, customer) + view().cost(customer, *routes.empty)};
}

template <class Problem>
void StringKicks<Problem>::insert(int customer, const Spot& spot) {
  const Routes<Problem>& routes = view().routes;
  const int route = view().route(spot.node), next = routes.ahead(spot.node, spot.direction);
  const double penalty = penalty_of(route);
  journal_.changes(route);
  delta_ += spot.cost;
  routes.join(spot.node, customer, spot.direction);
  routes.join(customer, next, spot.direction);
  refresh(route, penalty);
  routes.find_empty(route, route);
  for (const int node : {spot.node, customer, next}) touch(node);
}

static_assert(written_for(3));  // two of them have depots
template class RouteJournal<env::Cvrp>;
template class RouteJournal<env::Vrptw>;
template class StringKicks<env::Cvrp>;
template class StringKicks<env::Vrptw>;

}  // namespace neuopt::local
