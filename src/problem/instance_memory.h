// What instances take of the memory, for a no before sets of them are made.
#pragma once

#include "problem/problem_kind.h"

namespace neuopt {

/// What an instance takes beside its numbers: its fields, its name, the blocks of the heap; in Python an object more.
inline constexpr double kBytesBesideNumbers = 512;

/// About so many bytes, when the numbers of the instance are held `copies` times at once.
inline double instance_bytes(ProblemKind kind, double customers, double copies = 1) {
  const ProblemTraits problem = traits(kind);
  const int each = 2 + (problem.demands ? 1 : 0) + (problem.windows ? 3 : 0);
  return copies * sizeof(double) * each * (customers + 1) + kBytesBesideNumbers;
}

}  // namespace neuopt
