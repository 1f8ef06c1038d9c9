// Dynamic data augmentation (D2A): the symmetries of the unit square. They change the coordinates that the network
// sees, never the cost.
#pragma once

#include "core/host_device.h"
#include "core/philox.h"

namespace neuopt::env {

/// A symmetry of the square about its centre: (u, v) -> (xx u + xy v, yx u + yy v) with u = x - 1/2, v = y - 1/2.
/// The entries are -1, 0 or 1.
struct Augmentation {
  int xx = 1, xy = 0, yx = 0, yy = 1;
};

NEUOPT_HD Augmentation compose(const Augmentation& outer, const Augmentation& inner) {
  return {outer.xx * inner.xx + outer.xy * inner.yx, outer.xx * inner.xy + outer.xy * inner.yy,
          outer.yx * inner.xx + outer.yy * inner.yx, outer.yx * inner.xy + outer.yy * inner.yy};
}

NEUOPT_HD void apply(const Augmentation& map, float x, float y, float& seen_x, float& seen_y) {
  const float u = x - 0.5f, v = y - 0.5f;
  seen_x = static_cast<float>(map.xx) * u + static_cast<float>(map.xy) * v + 0.5f;
  seen_y = static_cast<float>(map.yx) * u + static_cast<float>(map.yy) * v + 0.5f;
}

/// Algorithm "Augmentation" of the paper: flip-x-y, 1-x, 1-y and a rotation by a multiple of 90 degrees, each with a
/// random configuration, in random order.
NEUOPT_HD Augmentation draw_augmentation(const Philox4& words) {
  Augmentation moves[4] = {{0, 1, 1, 0}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {0, -1, 1, 0}};
  const Augmentation identity{};
  const Augmentation quarter = moves[3];
  for (int i = 0; i < 3; ++i)
    if ((words.word[0] >> i & 1u) == 0) moves[i] = identity;
  Augmentation rotation = identity;
  for (std::uint32_t turn = 0; turn < (words.word[0] >> 3 & 3u); ++turn) rotation = compose(quarter, rotation);
  moves[3] = rotation;
  Augmentation result = identity;
  for (int left = 4; left > 0; --left) {  // a random order, drawn as a Fisher-Yates shuffle
    const int pick = static_cast<int>(uniform_below(words.word[left == 4 ? 1 : (left == 3 ? 2 : 3)], left));
    result = compose(moves[pick], result);
    moves[pick] = moves[left - 1];
  }
  return result;
}

}  // namespace neuopt::env
