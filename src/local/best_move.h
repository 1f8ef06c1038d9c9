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

  /// The smaller delta stays, of equals the smaller number, in whatever order candidates are offered.
  NEUOPT_HD void offer(double other_delta, int other_number) {
    if (other_delta < delta || (other_delta == delta && other_number < number)) *this = {other_delta, other_number};
  }
};

/// The best of all lanes' moves, in every lane. Other lanes have overloads of their own; all of them leave no lane
/// behind that still reads what the move is about to change.
NEUOPT_HD Move best_of(SerialLanes, Move mine) { return mine; }

}  // namespace neuopt::local
