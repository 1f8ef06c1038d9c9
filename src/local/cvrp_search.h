// Local search for the CVRP: 2-opt, 2-opt*, relocate, swap and swap*. Loads above the capacity cost a penalty, so that
// it may begin from an infeasible solution.
#pragma once

#include "local/cvrp/relocate.h"
#include "local/cvrp/swap.h"
#include "local/cvrp/swap_star.h"
#include "local/cvrp/tails.h"
#include "local/local_search.h"
#include "local/work_queue.h"

namespace neuopt::local {

template <>
struct LocalSearch<env::Cvrp> {
  /// The routes, the queue and its flags.
  NEUOPT_HD static std::size_t bytes(int nodes) {
    return (Routes::bytes(nodes) + static_cast<std::size_t>(nodes) * (sizeof(std::int32_t) + 1) +
            2 * sizeof(std::int32_t) + 7) /
           8 * 8;
  }

  using NoJournal = NoRouteChanges;

  CvrpView view;
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
      if (!plain && rules.swap_star) move = best_of(lanes, best_swap_star(lanes, node));
      lanes.sync();
      if (move.found()) {
        if (lanes.first() == 0) apply(node, move.number, plain, journal);
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

  /// Cost and violation of a tour as the search counts them. The workspace has room for its positions and loads.
  template <class Lanes>
  NEUOPT_HD static Polished measure(Lanes lanes, const env::InstanceView& instance, std::int32_t* order,
                                    void* workspace) {
    auto* values = static_cast<env::Cvrp::Route*>(workspace);
    auto* position = reinterpret_cast<std::int32_t*>(values + instance.nodes);
    const kopt::TourView tour{instance.nodes, order, position};
    for (int p = lanes.first(); p < instance.nodes; p += lanes.stride()) position[order[p]] = p;
    lanes.sync();
    const float violation = env::Cvrp::walk(lanes, instance, tour, values);
    return {env::tour_cost(instance, tour), violation, 0};
  }

 private:
  static constexpr int kTails = 0, kOwnSegments = 2, kOtherSegments = kOwnSegments + kRelocateSegments;
  static constexpr int kSwaps = kOtherSegments + kRelocateSegments;
  static constexpr int kVariants = kSwaps + kSwapVariants;  // of a pair and a direction
  static constexpr int kAlone = kRelocateSegments + 2;      // moves to an empty route: segments, splits

  NEUOPT_HD CvrpPair pair_of(int node, int unit) const {
    return cvrp_pair(view, node, view.neighbours.of(node)[unit / 2], unit % 2);
  }

  /// What a node can do on its own account.
  struct Own {
    CvrpSegment segments[kRelocateSegments];
    double edges[2];    // that it may give up
    double most_saved;  // by taking out one of the segments
  };

  NEUOPT_HD Own own_of(int node) const {
    Own own;
    own.edges[0] = view.edge(node, 0);
    own.edges[1] = view.edge(node, 1);
    own.most_saved = 0;
    for (int i = 0; i < kRelocateSegments; ++i) {
      own.segments[i] = cvrp_segment(view, node, i);
      if (own.segments[i].length > 0 && own.segments[i].saved > own.most_saved) own.most_saved = own.segments[i].saved;
    }
    return own;
  }

  /// The best move but swap* that joins the node to a neighbour or a depot, of those that this lane looks at.
  template <class Lanes>
  NEUOPT_HD Move best_move(Lanes lanes, int node) const {
    Move best;
    const int units = 2 * view.neighbours.count;
    const Own own = own_of(node);
    CvrpPair pair{};
    for (int unit = lanes.first(); unit < units; unit += lanes.stride()) {
      if (unit % 2 == 0 || lanes.stride() > 1)
        pair = pair_of(node, unit);
      else
        pair.direction = 1;  // the same two, which a single lane has just looked at
      look_at_pair(pair, own, unit * kVariants, best);
    }
    for (int unit = lanes.first(); unit < kAlone; unit += lanes.stride()) {
      const int number = units * kVariants + unit;
      if (unit < kRelocateSegments)
        offer_new_route(view, own.segments[unit], number, best);
      else
        offer_split(view, node, unit - kRelocateSegments, number, best);
    }
    return best;
  }

  NEUOPT_HD void look_at_pair(const CvrpPair& pair, const Own& own, int number, Move& best) const {
    offer_tails(view, pair, true, number + kTails, best);
    offer_tails(view, pair, false, number + kTails + 1, best);
    const bool beside_depot = view.is_depot(view.ahead(pair.neighbour, pair.direction));
    if (beside_depot || pair.cost < own.most_saved + pair.load_cost)
      for (int i = 0; i < kRelocateSegments; ++i)
        offer_relocate(view, pair, own.segments[i], pair.neighbour, number + kOwnSegments + i, best);
    if (!(pair.cost < own.edges[pair.direction] + pair.load_cost)) return;
    for (int i = 0; i < kRelocateSegments; ++i)
      offer_relocate(view, pair, cvrp_segment(view, pair.neighbour, i), pair.node, number + kOtherSegments + i, best);
    offer_swaps(view, pair, number + kSwaps, best);
  }

  template <class Lanes>
  NEUOPT_HD Move best_swap_star(Lanes lanes, int node) const {
    Move best;
    const double saved = saved_without(view, node);
    for (int i = lanes.first(); i < view.neighbours.count; i += lanes.stride())
      offer_swap_star(view, node, i, saved, best);
    return best;
  }

  /// Applies a move: routes are changed, walked anew, and the ends of what changed wait to be looked at.
  template <class Journal>
  NEUOPT_HD void apply(int node, int number, bool plain, Journal& journal) {
    const int alone = plain ? number - 2 * view.neighbours.count * kVariants : -1;
    const int unit = number / kVariants;
    const int partner = alone >= 0 ? *view.routes.empty
                        : plain    ? view.neighbours.of(node)[unit / 2]
                                   : swap_star_partner(view, node, number);
    const int first = view.route(node), second = view.route(partner);
    journal.changes(first);
    if (second != first) journal.changes(second);
    const auto touched = [this](int changed) {
      if (!view.is_depot(changed)) queue.push(changed);
    };
    if (alone >= 0)
      apply_alone(node, alone, touched);
    else if (plain)
      apply_pair(pair_of(node, unit), number % kVariants, touched);
    else
      apply_swap_star(view, node, number, touched);
    view.routes.refresh(view.instance, first);
    if (second != first) view.routes.refresh(view.instance, second);
    view.routes.find_empty(first, second);
  }

  template <class Touched>
  NEUOPT_HD void apply_alone(int node, int alone, Touched& touched) const {
    if (alone < kRelocateSegments)
      apply_relocate(view, cvrp_segment(view, node, alone), *view.routes.empty, 0, touched);
    else
      apply_split(view, node, alone - kRelocateSegments, touched);
  }

  template <class Touched>
  NEUOPT_HD void apply_pair(const CvrpPair& pair, int variant, Touched& touched) const {
    const int u = pair.node, v = pair.neighbour, direction = pair.direction;
    if (variant < kOwnSegments)
      apply_tails(view, pair, variant == kTails, touched);
    else if (variant < kOtherSegments)
      apply_relocate(view, cvrp_segment(view, u, variant - kOwnSegments), v, direction, touched);
    else if (variant < kSwaps)
      apply_relocate(view, cvrp_segment(view, v, variant - kOtherSegments), u, direction, touched);
    else
      apply_swap(view, pair, variant - kSwaps, touched);
  }
};

}  // namespace neuopt::local
