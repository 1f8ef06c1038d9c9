// Points in the plane whose distances resemble given ones (classical multidimensional scaling).
#pragma once

#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// One point for each row of a symmetric size x size matrix of distances. Deterministic: the same matrix gives the
/// same points on every machine with the same arithmetic; each axis points so that its largest entry is positive.
std::vector<Point> embed_in_plane(const std::vector<double>& distances, int size);

/// Where the nodes of an instance lie on a map, north up and east to the right: its coordinates, or an embedding of its
/// matrix. Empty when it has neither.
std::vector<Point> map_points(const Instance& instance);

}  // namespace neuopt
