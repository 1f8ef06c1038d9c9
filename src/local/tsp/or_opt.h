// Or-opt: a segment of up to three nodes goes between two others that are neighbours in the tour, either way round.
//
// The segment e .. w between p and n goes between c and c', so that e is next to c and w next to c'. A move that gains
// has (e, c) shorter than what taking the segment out saves, or (w, c') shorter than (c, c'): it is found from e, or
// else from c', which looks for segments to take in.
#pragma once

#include "local/tsp/looking.h"

namespace neuopt::local {

inline constexpr int kOrSegments = 5;  // with one given end: one node, and two or three in either direction

struct TspSegment {
  int end, other_end;  // e, w
  int before, after;   // p, n
  int direction;       // from e to w
  int length;
  double saved;  // by taking it out
};

/// Segment `which` (0 .. 4) with the end e. The tour has at least five nodes.
NEUOPT_HD TspSegment tsp_segment(const TspView& view, int end, int which) {
  const int direction = which < 3 ? 0 : 1, length = which < 3 ? which + 1 : which - 1;
  int other = end;
  NEUOPT_ROLLED
  for (int i = 1; i < length; ++i) other = view.ahead(other, direction);
  const int before = view.ahead(end, 1 - direction), after = view.ahead(other, direction);
  const double saved = view.cost(before, end) + view.cost(other, after) - view.cost(before, after);
  return {end, other, before, after, direction, length, saved};
}

/// Offers to put the segment between c and the node next to it in a direction.
NEUOPT_HD void offer_or_opt(const TspView& view, const TspSegment& segment, int c, int c_direction, double new_edge,
                            int number, Move& best) {
  const int c_next = view.ahead(c, c_direction);
  if (steps_ahead(view.tour, segment.end, c, segment.direction) < segment.length) return;
  if (steps_ahead(view.tour, segment.end, c_next, segment.direction) < segment.length) return;
  const double delta = new_edge + view.cost(segment.other_end, c_next) - view.cost(c, c_next) - segment.saved;
  if (view.is_free(segment.before, segment.end) && view.is_free(segment.other_end, segment.after) &&
      view.is_free(c, c_next))
    best.offer(delta, number);
}

/// Moves a segment of any length, as three or two exchanges of two edges.
template <class Lanes, class Journal>
NEUOPT_HD void move_segment(Lanes lanes, const TspView& view, const TspSegment& segment, int c, int c_next,
                            Journal& journal) {
  const int p = segment.before, n = segment.after;
  int first = segment.end, last = segment.other_end;
  const bool same_way = view.ahead(c, segment.direction) == c_next && segment.end != segment.other_end;
  int far = c, near = c_next;  // the edge as it is met from n: far, near
  if (same_way) {              // turn the segment first; then its other end is next to p
    exchange_edges(lanes, view.tour, journal, p, first, last, n);
    first = segment.other_end;
    last = segment.end;
  } else if (view.ahead(c, segment.direction) != c_next) {
    far = c_next;
    near = c;
  }
  // p first..last n .. far near -> p far .. n last..first near -> p n .. far last..first near
  exchange_edges(lanes, view.tour, journal, p, first, far, near);
  exchange_edges(lanes, view.tour, journal, p, far, n, last);
}

template <class Lanes, class Journal, class Touched>
NEUOPT_HD void apply_or_opt(Lanes lanes, const TspView& view, const TspSegment& segment, int c, int c_direction,
                            Journal& journal, Touched&& touched) {
  const int c_next = view.ahead(c, c_direction);
  move_segment(lanes, view, segment, c, c_next, journal);
  for (const int node : {segment.before, segment.after, segment.end, segment.other_end, c, c_next}) touched(node);
}

}  // namespace neuopt::local
