// Single draws of the shaped generator, for host and device alike: instances that are clustered, stretched, laid out on
// a lattice or in a repeated pattern, as real ones are. Node `node` of instance `index` is a pure function of (seed,
// index, node); only the side of a lattice depends on the number of nodes as well.
//
// Everything here is counted in whole numbers (places on a board, shares in thousandths): host and device agree to the
// bit without any care for rounding.
#pragma once

#include <cstdint>

#include "core/host_device.h"
#include "core/philox.h"

namespace neuopt {

enum class NodeLayout { clusters, stretched, stretched_clusters, lattice, pattern };
inline constexpr int kLayouts = 5;

enum class DepotPlace { anywhere, centre, corner };
inline constexpr int kDepotPlaces = 3;

enum class DemandKind { equal, up_to_9, up_to_100, from_50_to_100, few_large };
inline constexpr int kDemandKinds = 5;

/// Nodes lie on a board with this many places a side, or on a lattice with fewer; clusters reach beyond its edges by
/// about a third at most, so that every place is exact in float.
inline constexpr int kBoardSide = 1 << 22;
inline constexpr int kMaxClusters = 8;
/// Lattices have up to this many places a side, more only where the nodes need them.
inline constexpr int kUsualLatticeSide = 40;

/// A pattern lies on a small lattice with this many places a side.
inline constexpr int kPatternSide = 6;

struct BoardPlace {
  int x, y;
};

/// What one instance is like. Shares are in thousandths.
struct ShapedTraits {
  NodeLayout layout;
  int clusters;      // centres, 1..8
  int spread;        // of a cluster: its standard deviation, 10..100 thousandths of the board
  int background;    // share of the nodes outside the clusters, 0..500
  int stretch;       // what is left of the shorter axis, 50..500
  bool flat;         // the shorter axis is y
  int lattice_side;  // places on a side of the lattice
  int pattern;       // nodes of the pattern that is repeated, 3..30
  int columns;       // of copies of the pattern, 1..12
  BoardPlace pitch;  // from one copy to the next: side by side or far apart
  DepotPlace depot;
  DemandKind demand;
  int load;  // total demand in shares of all routes, 200..750 (less when single demands would be too large)
};

/// The random words of one instance, apart from those of all others and of the uniform generator.
struct ShapedWords {
  enum Part : std::uint32_t { choice, shape, node, spread, centre, lattice, depot, demand, day, times };

  Random random;
  std::uint64_t index;

  NEUOPT_HD Philox4 draw(Part part, std::uint32_t number) const {
    return random.words(Draw::shape, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), number,
                        part);
  }
};

/// Whether this instance is one of the given share (0..1) that is shaped.
NEUOPT_HD bool is_shaped(const ShapedWords& words, float share) {
  return share > 0 && uniform_float(words.draw(ShapedWords::choice, 0).word[0]) < share;
}

/// Uniform among low..high.
NEUOPT_HD int uniform_between(std::uint32_t word, int low, int high) {
  return low + static_cast<int>(uniform_below(word, static_cast<std::uint32_t>(high - low + 1)));
}

/// `customers` counts the nodes that get a place of their own: those of a TSP, the customers of a CVRP.
NEUOPT_HD ShapedTraits draw_traits(const ShapedWords& words, int customers) {
  const Philox4 kinds = words.draw(ShapedWords::shape, 0), clusters = words.draw(ShapedWords::shape, 1),
                sizes = words.draw(ShapedWords::shape, 2), pattern = words.draw(ShapedWords::shape, 3);
  int lattice_side = 1;
  while (static_cast<std::int64_t>(lattice_side) * lattice_side < customers) ++lattice_side;
  const int most = lattice_side > kUsualLatticeSide ? lattice_side : kUsualLatticeSide;
  return ShapedTraits{static_cast<NodeLayout>(uniform_below(kinds.word[0], kLayouts)),
                      uniform_between(clusters.word[0], 1, kMaxClusters),
                      uniform_between(clusters.word[1], 10, 100),
                      uniform_between(clusters.word[2], 0, 500),
                      uniform_between(sizes.word[0], 50, 500),
                      uniform_below(sizes.word[1], 2) == 1,
                      uniform_between(sizes.word[2], lattice_side, most),
                      uniform_between(pattern.word[0], 3, 30),
                      uniform_between(pattern.word[1], 1, 12),
                      {uniform_between(pattern.word[2], kPatternSide, 8 * kPatternSide),
                       uniform_between(pattern.word[3], kPatternSide, 8 * kPatternSide)},
                      static_cast<DepotPlace>(uniform_below(kinds.word[1], kDepotPlaces)),
                      static_cast<DemandKind>(uniform_below(kinds.word[2], kDemandKinds)),
                      uniform_between(sizes.word[3], 200, 750)};
}

NEUOPT_HD BoardPlace uniform_place(const Philox4& block) {
  return BoardPlace{uniform_between(block.word[0], 0, kBoardSide - 1),
                    uniform_between(block.word[1], 0, kBoardSide - 1)};
}

/// Nearly normal: the sum of four uniform numbers, centred, with standard deviation `spread` (thousandths of the
/// board).
NEUOPT_HD int spread_offset(std::uint32_t word0, std::uint32_t word1, int spread) {
  const int sum = static_cast<int>((word0 & 0xFFFFu) + (word0 >> 16) + (word1 & 0xFFFFu) + (word1 >> 16));
  // The deviation of the sum is 2^16 / sqrt(3), and sqrt(3) is about 433 / 250.
  const std::int64_t scaled = std::int64_t{sum - 2 * 0xFFFF} * spread * 433 * (kBoardSide >> 16);
  return static_cast<int>(scaled / (250 * 1000));
}

NEUOPT_HD BoardPlace clustered_place(const ShapedWords& words, const ShapedTraits& traits, std::uint32_t node) {
  const Philox4 block = words.draw(ShapedWords::node, node);
  if (uniform_between(block.word[2], 0, 999) < traits.background) return uniform_place(block);
  const std::uint32_t cluster = uniform_below(block.word[3], static_cast<std::uint32_t>(traits.clusters));
  const BoardPlace centre = uniform_place(words.draw(ShapedWords::centre, cluster));
  const Philox4 offset = words.draw(ShapedWords::spread, node);
  return BoardPlace{centre.x + spread_offset(offset.word[0], offset.word[1], traits.spread),
                    centre.y + spread_offset(offset.word[2], offset.word[3], traits.spread)};
}

/// A random place of the lattice for each node, and never one place for two: a Feistel network permutes the places of a
/// square whose side is a power of two, and is repeated until it lands in the lattice. That happens at the latest where
/// the node set out, since a permutation runs in cycles.
NEUOPT_HD BoardPlace lattice_place(const ShapedWords& words, int lattice_side, std::uint32_t node) {
  constexpr std::uint32_t kRounds = 4;
  const auto side = static_cast<std::uint32_t>(lattice_side);
  std::uint32_t power = 1;
  while (power < side) power *= 2;
  std::uint32_t row = node / side, column = node % side;
  do {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint32_t mask = words.draw(ShapedWords::lattice, kRounds * column + round).word[0] & (power - 1);
      const std::uint32_t mixed = row ^ mask;
      row = column;
      column = mixed;
    }
  } while (row >= side || column >= side);
  return BoardPlace{static_cast<int>(column), static_cast<int>(row)};
}

/// Copies of a few nodes in rows and columns, as holes on a circuit board; the last copy may be incomplete.
NEUOPT_HD BoardPlace pattern_place(const ShapedWords& words, const ShapedTraits& traits, std::uint32_t node) {
  const auto size = static_cast<std::uint32_t>(traits.pattern);
  const BoardPlace spot = lattice_place(words, kPatternSide, node % size);
  const int copy = static_cast<int>(node / size);
  return BoardPlace{copy % traits.columns * traits.pitch.x + spot.x, copy / traits.columns * traits.pitch.y + spot.y};
}

NEUOPT_HD BoardPlace stretched_place(const ShapedTraits& traits, const BoardPlace& place) {
  const auto shorter = [&](int value) { return static_cast<int>(std::int64_t{value} * traits.stretch / 1000); };
  return traits.flat ? BoardPlace{place.x, shorter(place.y)} : BoardPlace{shorter(place.x), place.y};
}

/// Where node 0..customers-1 lies, before the instance is fitted into the unit square.
NEUOPT_HD BoardPlace draw_place(const ShapedWords& words, const ShapedTraits& traits, std::uint32_t node) {
  switch (traits.layout) {
    case NodeLayout::clusters:
      return clustered_place(words, traits, node);
    case NodeLayout::stretched:
      return stretched_place(traits, uniform_place(words.draw(ShapedWords::node, node)));
    case NodeLayout::stretched_clusters:
      return stretched_place(traits, clustered_place(words, traits, node));
    case NodeLayout::lattice:
      return lattice_place(words, traits.lattice_side, node);
    case NodeLayout::pattern:
      break;
  }
  return pattern_place(words, traits, node);
}

/// Where the depot lies, in the box of the customers.
NEUOPT_HD BoardPlace draw_depot(const ShapedWords& words, const ShapedTraits& traits, const BoardPlace& low,
                                const BoardPlace& high) {
  const Philox4 block = words.draw(ShapedWords::depot, 0);
  switch (traits.depot) {
    case DepotPlace::anywhere:
      return BoardPlace{uniform_between(block.word[0], low.x, high.x), uniform_between(block.word[1], low.y, high.y)};
    case DepotPlace::centre:
      return BoardPlace{low.x + (high.x - low.x) / 2, low.y + (high.y - low.y) / 2};
    case DepotPlace::corner:
      break;
  }
  return BoardPlace{(block.word[0] & 1u) != 0 ? high.x : low.x, (block.word[1] & 1u) != 0 ? high.y : low.y};
}

/// Demand of customer 0..customers-1, at least 1.
NEUOPT_HD int draw_demand(const ShapedWords& words, const ShapedTraits& traits, std::uint32_t customer) {
  constexpr int kLargeInHundred = 15;
  const Philox4 block = words.draw(ShapedWords::demand, customer);
  switch (traits.demand) {
    case DemandKind::equal:
      return 1;
    case DemandKind::up_to_9:
      return uniform_between(block.word[0], 1, 9);
    case DemandKind::up_to_100:
      return uniform_between(block.word[0], 1, 100);
    case DemandKind::from_50_to_100:
      return uniform_between(block.word[0], 50, 100);
    case DemandKind::few_large:
      break;
  }
  return uniform_between(block.word[1], 0, 99) < kLargeInHundred ? uniform_between(block.word[0], 50, 100)
                                                                 : uniform_between(block.word[0], 1, 10);
}

}  // namespace neuopt
