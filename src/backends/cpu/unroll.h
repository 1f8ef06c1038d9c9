// Loops written out when compiled. Only then do compilers keep an array of vectors in registers from beginning to end;
// otherwise they write it to memory and read it back around the inner loops.
#pragma once

#include <utility>

/// For the bodies of such loops: `[&](int i) NEUOPT_INLINE { ... }`.
#define NEUOPT_INLINE __attribute__((always_inline))

namespace neuopt::backends::cpu {

/// Calls part(0), ..., part(Count - 1).
template <int Count, class Part>
NEUOPT_INLINE inline void unroll(const Part& part) {
  [&]<int... I>(std::integer_sequence<int, I...>) NEUOPT_INLINE { (part(I), ...); }
  (std::make_integer_sequence<int, Count>());
}

}  // namespace neuopt::backends::cpu
