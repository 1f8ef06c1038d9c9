// Local search for the TSP: 2-opt and Or-opt.
#pragma once

#include "local/local_search.h"
#include "local/tsp/or_opt.h"
#include "local/tsp/two_opt.h"
#include "local/work_queue.h"

namespace neuopt::local {

template <>
struct LocalSearch<env::Tsp> {
  /// The tour's positions, the queue and its flags.
  NEUOPT_HD static std::size_t bytes(int nodes) {
    return (static_cast<std::size_t>(nodes) * (2 * sizeof(std::int32_t) + 1) + 2 * sizeof(std::int32_t) + 7) / 8 * 8;
  }

  using NoJournal = NoReversals;

  TspView view;
  WorkQueue queue;
  LocalRules rules;

  /// Begins from the tour in `order`, which is changed from now on; nothing waits in the queue.
  template <class Lanes>
  NEUOPT_HD static LocalSearch start(Lanes lanes, const LocalTask& task, std::int32_t* order, void* workspace) {
    const int nodes = task.instance.nodes;
    auto* words = static_cast<std::int32_t*>(workspace);
    LocalSearch search{
        {task.instance, task.neighbours, env::fixed_edges(task.instance), {nodes, order, words}},
        {nodes, words + nodes, words + 2 * nodes + 1, reinterpret_cast<std::uint8_t*>(words + 2 * nodes + 2)},
        task.rules};
    for (int p = lanes.first(); p < nodes; p += lanes.stride()) words[order[p]] = p;
    search.queue.clear(lanes);
    return search;
  }

  /// Empties the queue. Returns what the moves changed; `moves_left` counts down.
  template <class Lanes, class Journal, class GoOn = Unhurried>
  NEUOPT_HD double improve(Lanes lanes, Journal& journal, int& moves_left, GoOn&& go_on = {}) {
    double delta = 0;
    lanes.sync();
    while (!queue.empty() && moves_left > 0 && go_on()) {
      const int node = queue.pop(lanes);
      const Move move = best_of(lanes, best_move(lanes, node));
      if (move.found()) {
        apply(lanes, node, move.number, journal);
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
    const int nodes = task.instance.nodes, limit = nodes * task.rules.moves_per_node;
    int moves_left = limit;
    NoReversals journal;
    for (int before = -1; nodes > 3 && before != moves_left && (before < 0 || task.rules.to_the_end);) {
      before = moves_left;
      search.queue.fill(lanes, nodes, [&](int p) { return order[p]; });
      search.improve(lanes, journal, moves_left, go_on);
      if (!search.queue.empty()) break;  // too many moves, or no time
    }
    search.write(lanes, order);
    Polished result = measure(lanes, task.instance, order, workspace);
    result.moves = limit - moves_left;
    return result;
  }

  /// The tour as the search wants it, in the `order` that it began from. Nothing can follow.
  template <class Lanes>
  NEUOPT_HD void write(Lanes lanes, std::int32_t* /*order*/) const {
    put_zero_first(lanes, view.tour);
  }

  /// The cost of a tour as the search counts it.
  template <class Lanes>
  NEUOPT_HD static Polished measure(Lanes, const env::InstanceView& instance, std::int32_t* order, void*) {
    return {env::tour_cost(instance, {instance.nodes, order, nullptr}), 0, 0};
  }

 private:
  static constexpr int kVariants = 1 + 2 * kOrSegments;  // of a pair: 2-opt, the node's segments, the neighbour's

  /// The best move that joins the node to a neighbour, of those that this lane looks at.
  template <class Lanes>
  NEUOPT_HD Move best_move(Lanes lanes, int node) const {
    Move best;
    const bool segments = view.tour.nodes >= 5;
    TspSegment own[kOrSegments];
    const double edges[2] = {view.cost(node, view.ahead(node, 0)), view.cost(node, view.ahead(node, 1))};
    double reach = edges[0] > edges[1] ? edges[0] : edges[1];  // no move adds a longer edge
    for (int i = 0; segments && i < kOrSegments; ++i) {
      own[i] = tsp_segment(view, node, i);
      reach = own[i].saved > reach ? own[i].saved : reach;
    }
    for (int unit = lanes.first(); unit < 2 * view.neighbours.count; unit += lanes.stride()) {
      TspPair pair{node, view.neighbours.of(node)[unit / 2], unit % 2, 0};
      pair.cost = view.cost(node, pair.neighbour);
      if (!(pair.cost < reach)) break;  // neighbours further on are further away
      int number = unit * kVariants;
      offer_two_opt(view, pair, number++, best);
      if (!segments) continue;
      for (int i = 0; i < kOrSegments; ++i, ++number)
        if (pair.cost < own[i].saved)
          offer_or_opt(view, own[i], pair.neighbour, pair.direction, pair.cost, number, best);
      for (int i = 0; pair.cost < edges[pair.direction] && i < kOrSegments; ++i)
        offer_or_opt(view, tsp_segment(view, pair.neighbour, i), node, pair.direction, pair.cost, number + i, best);
    }
    return best;
  }

  template <class Lanes, class Journal>
  NEUOPT_HD void apply(Lanes lanes, int node, int number, Journal& journal) {
    const int unit = number / kVariants, variant = number % kVariants;
    const TspPair pair{node, view.neighbours.of(node)[unit / 2], unit % 2, 0};
    const auto touched = [&](int changed) {
      if (lanes.first() == 0) queue.push(changed);
    };
    if (variant == 0) {
      apply_two_opt(lanes, view, pair, journal, touched);
    } else {
      const bool own = variant <= kOrSegments;
      const int end = own ? node : pair.neighbour, place = own ? pair.neighbour : node;
      const TspSegment segment = tsp_segment(view, end, (variant - 1) % kOrSegments);
      apply_or_opt(lanes, view, segment, place, pair.direction, journal, touched);
    }
  }
};

}  // namespace neuopt::local
