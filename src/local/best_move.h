// The best of many candidate moves, the same one however the lanes share the candidates.
#pragma once

#include "core/lanes.h"

namespace neuopt::local {

/// Improvements below this are rounding: costs are sums of lengths in the unit square, in double.
inline constexpr double kLeastGain = 1e-9;

/// A candidate: what it changes and its number, which says what it does.
struct Move {
  double delta = -kLeastGain;  // of the (penalised) cost; no candidate that gains less is taken
  int number = -1;             // -1: none

  NEUOPT_HD bool found() const { return number >= 0; }

  /// Candidates are offered in the order of their numbers, so that the first of equals stays.
  NEUOPT_HD void offer(double other_delta, int other_number) {
    if (other_delta < delta) {
      delta = other_delta;
      number = other_number;
    }
  }
};

/// Whether a goes before b: the smaller delta, of equals the smaller number.
NEUOPT_HD bool goes_before(const Move& a, const Move& b) {
  return a.delta < b.delta || (a.delta == b.delta && a.number < b.number);
}

/// The best of all lanes' moves, in every lane. Other lanes have overloads of their own; all of them leave no lane
/// behind that still reads what the move is about to change.
NEUOPT_HD Move best_of(SerialLanes, Move mine) { return mine; }

}  // namespace neuopt::local
