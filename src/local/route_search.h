// Local search for problems with routes: 2-opt, 2-opt*, relocate, swap and swap*. Loads above the capacity and time
// warp cost a penalty, so that it may begin from an infeasible solution.
#pragma once

#include "local/local_search.h"
#include "local/routing/exchange.h"
#include "local/routing/swap_star.h"
#include "local/routing/tails.h"
#include "local/spread.h"
#include "local/work_queue.h"

namespace neuopt::local {

template <class Problem>
requires(Problem::traits.depots) struct LocalSearch<Problem> {
  using Routes = local::Routes<Problem>;

  /// The routes, the queue and its flags.
  NEUOPT_HD static std::size_t bytes(int nodes) {
    return (Routes::bytes(nodes) + static_cast<std::size_t>(nodes) * (sizeof(std::int32_t) + 1) +
            2 * sizeof(std::int32_t) + 7) /
           8 * 8;
  }

  using NoJournal = NoRouteChanges;

  RoutesView<Problem> view;
  WorkQueue queue;
  LocalRules rules;

  /// Begins from the tour in `order`; nothing waits in the queue.
  template <class Lanes>
  NEUOPT_HD static LocalSearch start(Lanes lanes, const LocalTask& task, const std::int32_t* order, void* workspace) {
    const int nodes = task.instance.nodes;
    auto* words = reinterpret_cast<std::int32_t*>(static_cast<std::uint8_t*>(workspace) + Routes::bytes(nodes));
    LocalSearch search{{task.instance, task.neighbours, env::fixed_edges(task.instance),
                        Routes::at(workspace, nodes, task.instance.depots), task.rules.penalty},
                       {nodes, words, words + nodes + 1, reinterpret_cast<std::uint8_t*>(words + nodes + 2)},
                       task.rules};
    read_routes(lanes, task.instance, order, search.view.routes);
    search.queue.clear(lanes);
    return search;
  }

  /// Empties the queue. Returns what the moves changed, penalties included; `moves_left` counts down.
  template <class Lanes, class Journal, class GoOn = Unhurried>
  NEUOPT_HD double improve(Lanes lanes, Journal& journal, int& moves_left, GoOn&& go_on = {}) {
    double delta = 0;
    lanes.sync();
    while (!queue.empty() && moves_left > 0 && go_on()) {
      const int node = queue.pop(lanes);
      Move move = best_of(lanes, best_move(lanes, node));
      const bool plain = move.found();
      if (!plain && rules.swap_star) move = best_swap_star(lanes, view, node);
      if (move.found()) {
        apply(lanes, node, move.number, plain, journal);
        delta += move.delta;
        --moves_left;
      }
      lanes.sync();
    }
    return delta;
  }

  template <class Lanes, class GoOn = Unhurried>
  NEUOPT_HD static Polished polish(Lanes lanes, const LocalTask& task, std::int32_t* order, void* workspace,
                                   GoOn&& go_on = {}) {
    LocalSearch search = start(lanes, task, order, workspace);
    const int depots = task.instance.depots, limit = task.instance.nodes * task.rules.moves_per_node;
    int moves_left = limit;
    NoRouteChanges journal;
    for (int before = -1; before != moves_left && (before < 0 || task.rules.to_the_end);) {
      before = moves_left;
      search.queue.fill(lanes, task.instance.nodes - depots, [&](int customer) { return depots + customer; });
      search.improve(lanes, journal, moves_left, go_on);
      if (!search.queue.empty()) break;  // too many moves, or no time
    }
    search.write(lanes, order);
    Polished result = measure(lanes, task.instance, order, workspace);
    result.moves = limit - moves_left;
    return result;
  }

  /// The tour as the search wants it.
  template <class Lanes>
  NEUOPT_HD void write(Lanes lanes, std::int32_t* order) const {
    if (lanes.first() == 0) write_order(view.routes, order);
    lanes.sync();
  }

  /// Cost and violation of a tour as the search counts them. The workspace has room for its positions and values.
  template <class Lanes>
  NEUOPT_HD static Polished measure(Lanes lanes, const env::InstanceView& instance, std::int32_t* order,
                                    void* workspace) {
    auto* values = static_cast<typename Problem::Route*>(workspace);
    auto* position = reinterpret_cast<std::int32_t*>(values + instance.nodes);
    const kopt::TourView tour{instance.nodes, order, position};
    NEUOPT_ROLLED
    for (int p = lanes.first(); p < instance.nodes; p += lanes.stride()) position[order[p]] = p;
    lanes.sync();
    const float violation = Problem::walk(lanes, instance, tour, values);
    lanes.sync();
    return {measured_cost(lanes, instance, order, static_cast<double*>(workspace)), violation, 0};
  }

 private:
  static constexpr int kTails = 2;                       // turned, and as they are
  static constexpr int kVariants = kTails + kExchanges;  // of a pair and a direction
  static constexpr int kAlone = kRelocations + 2;        // moves to an empty route: segments, splits

  /// A node's own segments, as many as there are relocations.
  struct Own {
    Segment segments[kRelocations];
    double saved[kRelocations];
    Segment swapped[2][2];  // of one and two customers, against a direction
  };

  NEUOPT_HD Segment own_segment(int node, int which) const {
    return segment_x(view, exchange_of({node, node, 0, 0, 0}, which));
  }

  /// A node and a neighbour; what is worth a look is decided in the same way for all lanes.
  struct Pair : RoutePair {
    double penalties;  // that loads and times cost now
    bool own, other;   // segments of the node; those of the neighbour, swaps and tails between customers
    // With time windows in two routes, by direction: whether one may come to stand beside the other.
    bool timed = false, beside_node[2] = {true, true}, beside_neighbour[2] = {true, true};

    NEUOPT_HD Pair(const RoutesView<Problem>& view, int of, int index)
        : RoutePair{of, view.neighbours.of(of)[index], 2 * index, 0, 0} {
      cost = search_cost(view.instance, node, neighbour);
      penalties = view.cost_of_routes(node, neighbour);
      excess = penalties > 0 ? 1 : 0;
    }

    /// Looks at times where distances alone are promising.
    NEUOPT_HD void look_at_times(const RoutesView<Problem>& seen) {
      timed = true;
      if (seen.route(node) == seen.route(neighbour)) return;
      const std::int32_t travel = env::travel_time(seen.instance, node, neighbour);
      NEUOPT_ROLLED
      for (int i = 0; i < 2; ++i) {
        beside_node[i] = seen.may_stand(neighbour, node, i, travel, penalties);
        beside_neighbour[i] = seen.may_stand(node, neighbour, i, travel, penalties);
      }
    }

    NEUOPT_HD void look_in(const RoutesView<Problem>& seen, int direction, double most_saved) {
      unit = unit / 2 * 2 + direction;
      own = cost < most_saved + penalties || seen.is_depot(seen.ahead(neighbour, direction));
      other = cost < seen.edge(node, direction) + penalties;
      if constexpr (RoutesView<Problem>::kTimed) {
        if ((own || other) && !timed) look_at_times(seen);
        own = own && beside_neighbour[direction];
      }
    }
    /// Whether segments of the neighbour and swaps are worth a look.
    NEUOPT_HD bool exchanges() const {
      return other && (beside_node[direction()] || beside_neighbour[0] || beside_neighbour[1]);
    }
  };

  /// The best move but swap* that joins the node to a neighbour or a depot, of those that this lane looks at. First
  /// each lane sees whether the new edge of a pair is short enough for moves to gain, which is rare; the looks at the
  /// pairs that are left are shared out.
  template <class Lanes>
  NEUOPT_HD Move best_move(Lanes lanes, int node) const {
    Move best, saved{0, kRelocations};
    NEUOPT_ROLLED
    for (int i = lanes.first(); i < kRelocations; i += lanes.stride()) {
      const Segment segment = own_segment(node, i);
      if (segment.exists) saved.offer(-saved_without(view, segment), i);
    }
    const double most_saved = -best_of(lanes, saved).delta;
    const int units = 2 * view.neighbours.count;
    NEUOPT_ROLLED
    for (int base = 0; base < units; base += lanes.stride()) {
      const int unit = base + lanes.first();
      Pair pair(view, node, unit < units ? unit / 2 : 0);
      pair.look_in(view, unit % 2, most_saved);
      if (unit < units) look_at_tails(pair, best);
      spread<kRelocations, kExchangeLooks - kRelocations>(
          lanes, unit < units && pair.own, unit < units && pair.exchanges(), static_cast<const RoutePair&>(pair),
          [&](const RoutePair& of, int look) { look_at_exchange(view, of, look, of.unit * kVariants + kTails, best); });
    }
    if (*view.routes.empty >= 0) look_at_empty_route(lanes, node, most_saved, best);
    return best;
  }

  /// The same for one lane, which need not find a segment anew for each look.
  NEUOPT_HD Move best_move(SerialLanes lanes, int node) const {
    Move best;
    Own own;
    double most_saved = 0;
    for (int i = 0; i < kRelocations; ++i) {
      own.segments[i] = own_segment(node, i);
      own.saved[i] = own.segments[i].exists ? saved_without(view, own.segments[i]) : 0;
      most_saved = own.saved[i] > most_saved ? own.saved[i] : most_saved;
    }
    for (const int direction : {0, 1})
      for (const int length : {1, 2})
        own.swapped[direction][length - 1] = segment_after(view, view.ahead(node, direction), 1 - direction, length);
    for (int index = 0; index < view.neighbours.count; ++index) {
      Pair pair(view, node, index);
      for (const int direction : {0, 1}) {
        pair.look_in(view, direction, most_saved);
        look_at_tails(pair, best);
        const int number = pair.unit * kVariants + kTails;
        if (pair.own) look_beside_neighbour(pair, own, number, best);
        if (pair.exchanges()) look_at_neighbour(pair, own, number, best);
      }
    }
    if (*view.routes.empty >= 0) look_at_empty_route(lanes, node, most_saved, best);
    return best;
  }

  NEUOPT_HD void look_at_tails(const Pair& pair, Move& best) const {
    NEUOPT_ROLLED
    for (int i = 0; i < kTails; ++i) offer_tails(view, pair, i == 0, pair.other, pair.unit * kVariants + i, best);
  }

  /// For one lane: the node's segments.
  NEUOPT_HD void look_beside_neighbour(const Pair& pair, const Own& own, int number, Move& best) const {
    const Segment nothing = segment_after(view, pair.neighbour, pair.direction(), 0);
    for (int i = 0; i < kRelocations; ++i)
      if (own.segments[i].exists) offer_exchange(view, pair, own.segments[i], own.saved[i], nothing, number + i, best);
  }

  /// For one lane: the neighbour's segments and the swaps.
  NEUOPT_HD void look_at_neighbour(const Pair& pair, const Own& own, int number, Move& best) const {
    const Segment nothing = segment_after(view, pair.node, pair.direction(), 0);
    for (int i = 0; i < kRelocations && pair.beside_node[pair.direction()]; ++i) {
      const Segment x = own_segment(pair.neighbour, i);
      if (x.exists) offer_exchange(view, pair, x, saved_without(view, x), nothing, number + kRelocations + i, best);
    }
    for (int i = 0; i < 4; ++i) {
      if (!pair.beside_neighbour[i / 2]) continue;
      const Segment y = segment_after(view, pair.neighbour, i / 2, 1 + i % 2);
      for (int length = 1; y.exists && length <= 2; ++length) {
        const Segment& x = own.swapped[pair.direction()][length - 1];
        const int variant = variant_of_look(2 * kRelocations + 4 * (length - 1) + i);
        if (x.exists) offer_exchange(view, pair, x, x.removed, y, number + variant, best);
      }
    }
  }

  template <class Lanes>
  NEUOPT_HD void look_at_empty_route(Lanes lanes, int node, double saved, Move& best) const {
    const int empty = *view.routes.empty;
    const RoutePair pair{node, empty, 0, search_cost(view.instance, node, empty), 1};
    const double a = view.edge(node, 0), b = view.edge(node, 1), longer = a > b ? a : b;
    if (!(pair.cost < (saved > longer ? saved : longer) + view.cost_of_routes(node, pair.neighbour))) return;
    NEUOPT_ROLLED
    for (int i = lanes.first(); i < kAlone; i += lanes.stride()) {
      const int number = 2 * view.neighbours.count * kVariants;
      if (i < kRelocations)
        look_at_exchange(view, pair, i, number, best);
      else
        offer_split(view, node, i - kRelocations, number + i, best);
    }
  }

  /// Applies a move: routes are changed by the leader and walked anew, and the ends of what changed wait to be looked
  /// at.
  template <class Lanes, class Journal>
  NEUOPT_HD void apply(Lanes lanes, int node, int number, bool plain, Journal& journal) {
    const int alone = plain ? number - 2 * view.neighbours.count * kVariants : -1;
    const int partner = alone >= 0 ? *view.routes.empty
                        : plain    ? view.neighbours.of(node)[number / kVariants / 2]
                                   : swap_star_partner(view, node, number);
    const int first = view.route(node), second = view.route(partner);
    lanes.sync();
    if (lanes.first() == 0) {
      journal.changes(first);
      if (second != first) journal.changes(second);
      const auto touched = [this](int changed) {
        if (!view.is_depot(changed)) queue.push(changed);
      };
      const RoutePair pair{node, partner, number / kVariants, 0, 0};
      const int variant = number % kVariants;
      if (!plain)
        apply_swap_star(view, node, number, touched);
      else if (alone >= kRelocations)
        apply_split(view, node, alone - kRelocations, touched);
      else if (alone < 0 && variant < kTails)
        apply_tails(view, pair, variant == 0, touched);
      else
        apply_exchange(view, alone < 0 ? pair : RoutePair{node, partner, 0, 0, 0}, alone < 0 ? variant - kTails : alone,
                       touched);
    }
    lanes.sync();
    for (int i = lanes.first(); i < (second == first ? 1 : 2); i += lanes.stride())
      view.routes.refresh(view.instance, i == 0 ? first : second);
    lanes.sync();
    if (lanes.first() == 0) view.routes.find_empty(first, second);
  }
};

}  // namespace neuopt::local
