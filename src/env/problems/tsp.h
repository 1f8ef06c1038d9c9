// The travelling salesman problem: one closed tour through all nodes. Every tour is feasible.
#pragma once

#include "core/philox.h"
#include "env/gire.h"
#include "env/instance_view.h"
#include "problem/search_instance.h"

namespace neuopt::env {

struct Tsp {
  static constexpr ProblemTraits traits = neuopt::traits(ProblemKind::tsp);

  struct Node {};   // nothing but its place
  struct Route {};  // nothing changes along the tour

  static Node node(const SearchInstance&, int) { return {}; }
  static float epsilon(const SearchInstance&, const GireParameters&) { return 0; }
  NEUOPT_HD static float* demand(Node*) { return nullptr; }

  template <class Lanes>
  NEUOPT_HD static float walk(Lanes, const InstanceView&, const kopt::TourView&, Route*) {
    return 0;
  }

  NEUOPT_HD static void write_features(const InstanceView&, const Route*, const GireParameters&, int, float*) {}

  /// A uniform random permutation. Node 0 keeps position 0: a tour has no first node.
  template <class Lanes>
  NEUOPT_HD static void write_start(Lanes lanes, const InstanceView& instance, const Random& random,
                                    std::uint32_t instance_id, std::uint32_t copy_id, int* order, int*) {
    if (lanes.first() == 0) {
      for (int node = 0; node < instance.nodes; ++node) order[node] = node;
      for (int last = instance.nodes - 1; last > 1; --last) {
        const auto step = static_cast<std::uint32_t>(last);
        const Philox4 words = random.words(Draw::start, instance_id, copy_id, step, 0);
        const int pick = 1 + static_cast<int>(uniform_below(words.word[0], step));
        const int swapped = order[last];
        order[last] = order[pick];
        order[pick] = swapped;
      }
    }
    lanes.sync();
  }
};

}  // namespace neuopt::env
