// Local search for the TSP: 2-opt and Or-opt.
#pragma once

#include "local/local_search.h"
#include "local/spread.h"
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
  NEUOPT_HD static Polished measure(Lanes lanes, const env::InstanceView& instance, std::int32_t* order,
                                    void* workspace) {
    return {measured_cost(lanes, instance, order, static_cast<double*>(workspace)), 0, 0};
  }

 private:
  static constexpr int kVariants = 1 + 2 * kOrSegments;  // of a pair: 2-opt, the node's segments, the neighbour's

  NEUOPT_HD TspPair pair_of(int node, int unit) const {
    const int neighbour = view.neighbours.of(node)[unit / 2];
    return {node, neighbour, unit, search_cost(view.instance, node, neighbour)};
  }

  /// The most that is saved by taking out one of the node's segments, in every lane.
  template <class Lanes>
  NEUOPT_HD double most_saved(Lanes lanes, int node) const {
    Move best{0, kOrSegments};
    NEUOPT_ROLLED
    for (int i = lanes.first(); i < kOrSegments; i += lanes.stride()) best.offer(-tsp_segment(view, node, i).saved, i);
    return -best_of(lanes, best).delta;
  }

  /// The best move that joins the node to a neighbour, of those that this lane looks at. First each lane sees whether
  /// the new edge of a pair is short enough for moves to gain; the segments of the pairs that are left are shared out.
  template <class Lanes>
  NEUOPT_HD Move best_move(Lanes lanes, int node) const {
    Move best;
    const int units = 2 * view.neighbours.count;
    const bool segments = view.tour.nodes >= 5;
    const double saved = segments ? most_saved(lanes, node) : 0;
    const double edges[2] = {view.cost(node, view.ahead(node, 0)), view.cost(node, view.ahead(node, 1))};
    const double longer = edges[0] > edges[1] ? edges[0] : edges[1], reach = saved > longer ? saved : longer;
    NEUOPT_ROLLED
    for (int base = 0; base < units; base += lanes.stride()) {
      const int unit = base + lanes.first();
      TspPair pair{node, node, unit, 0};
      bool own = false, other = false;  // segments of the node, of the neighbour
      if (unit < units) {
        pair = pair_of(node, unit);
        if (lanes.stride() == 1 && !(pair.cost < reach)) break;  // neighbours further on are further away
        own = pair.cost < saved;
        other = pair.cost < (pair.direction() == 0 ? edges[0] : edges[1]);
        if (other) offer_two_opt(view, pair, unit * kVariants, best);
        other = other && segments;
      }
      spread<kOrSegments, kOrSegments>(lanes, own, other, pair, [&](const TspPair& of, int variant) {
        const bool is_own = variant < kOrSegments;
        const TspSegment segment =
            tsp_segment(view, is_own ? node : of.neighbour, is_own ? variant : variant - kOrSegments);
        if (!is_own || of.cost < segment.saved)
          offer_or_opt(view, segment, is_own ? of.neighbour : node, of.direction(), of.cost,
                       of.unit * kVariants + 1 + variant, best);
      });
    }
    return best;
  }

  template <class Lanes, class Journal>
  NEUOPT_HD void apply(Lanes lanes, int node, int number, Journal& journal) {
    const int unit = number / kVariants, variant = number % kVariants;
    const TspPair pair = pair_of(node, unit);
    const auto touched = [&](int changed) {
      if (lanes.first() == 0) queue.push(changed);
    };
    if (variant == 0) {
      apply_two_opt(lanes, view, pair, journal, touched);
    } else {
      const bool own = variant <= kOrSegments;
      const int end = own ? node : pair.neighbour, place = own ? pair.neighbour : node;
      const TspSegment segment = tsp_segment(view, end, (variant - 1) % kOrSegments);
      apply_or_opt(lanes, view, segment, place, pair.direction(), journal, touched);
    }
  }
};

}  // namespace neuopt::local
