// The nodes whose surroundings are to be looked at: a queue in which a node waits at most once (don't-look bits turned
// round). All lanes take from it; one fills it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lanes.h"

namespace neuopt::local {

struct WorkQueue {
  int nodes;              // N
  std::int32_t* ring;     // (N + 1)
  std::int32_t* end;      // (1) where the next node goes
  std::uint8_t* waiting;  // (N) of the leader alone
  int begin = 0;          // where the first node is; every lane counts for itself

  NEUOPT_HD int after(int place) const { return place == nodes ? 0 : place + 1; }

  template <class Lanes>
  NEUOPT_HD void clear(Lanes lanes) {
    NEUOPT_ROLLED
    for (int node = lanes.first(); node < nodes; node += lanes.stride()) waiting[node] = 0;
    if (lanes.first() == 0) *end = 0;
    begin = 0;
    lanes.sync();
  }

  /// Lets all these nodes wait, each once, in a queue that is empty. Lanes synchronise before they look.
  template <class Lanes, class Node>
  NEUOPT_HD void fill(Lanes lanes, int count, Node&& node) {
    lanes.sync();
    NEUOPT_ROLLED
    for (int i = lanes.first(); i < count; i += lanes.stride()) {
      ring[i] = node(i);
      waiting[node(i)] = 1;
    }
    begin = 0;
    if (lanes.first() == 0) *end = count;
  }

  /// For the leader. Lanes synchronise before they look.
  NEUOPT_HD void push(int node) const {
    if (waiting[node] != 0) return;
    waiting[node] = 1;
    ring[*end] = node;
    *end = after(*end);
  }

  NEUOPT_HD bool empty() const { return begin == *end; }

  template <class Lanes>
  NEUOPT_HD int pop(Lanes lanes) {
    const int node = ring[begin];
    begin = after(begin);
    if (lanes.first() == 0) waiting[node] = 0;
    return node;
  }
};

}  // namespace neuopt::local
