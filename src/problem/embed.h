// Points in the plane whose distances resemble given ones (classical multidimensional scaling).
#pragma once

#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// Nodes up to which all distances are looked at. Of larger instances some nodes, spread over the list, are embedded
/// first, and the others are placed by their distances to these (De Silva and Tenenbaum, "Sparse multidimensional
/// scaling using landmark points", 2004): time and memory are then linear in the instance.
inline constexpr int kEmbedAllUpTo = 1000;

/// One point for each node, from the distances of the instance. Deterministic: the same distances give the same points
/// on every machine with the same arithmetic; each axis points so that its largest entry is positive.
std::vector<Point> embed_in_plane(const Instance& instance);

/// Where the nodes of an instance lie on a map, north up and east to the right: its coordinates, or an embedding of its
/// matrix. Empty when it has neither.
std::vector<Point> map_points(const Instance& instance);

}  // namespace neuopt
