// From an instance to what the search works on.
#pragma once

#include "problem/instance.h"
#include "problem/search_instance.h"

namespace neuopt {

/// Nodes up to which costs are kept in a matrix: 16 MB. Beyond, nothing here grows faster than the instance.
inline constexpr int kMatrixUpTo = 2000;

struct SearchOptions {
  int min_depots = 0;              // at least this many dummy depots (a batch of instances shares one number)
  int max_depots = 0;              // at most this many, whatever else is said; 0: no limit. The start may have no room
  int pad_to = 0;                  // search nodes, reached by further dummy depots; 0: as many as there are
  int matrix_up_to = kMatrixUpTo;  // nodes; the costs of larger instances are computed when they are asked for
};

/// Builds the search's view of an instance. One shift and one scale serve both axes, so that the aspect ratio is kept;
/// with Metric::unit, coordinates that already fill a quarter of a side of the unit square or more are left as they
/// are. Nodes without usable coordinates in the plane (an explicit matrix, three dimensions) are placed by
/// multidimensional scaling. Above SearchOptions::matrix_up_to nodes the result points to the instance, which must
/// outlive it (Metric::unit: not). Throws InputError when the instance makes no sense (problem/validate.h).
///
/// Dummy depots: the largest of usual_depots, the routes of the start solution in index order plus one, and
/// min_depots. The start solution is feasible, so there is always room for a feasible solution and an empty route.
/// Padding adds to them: instances of several sizes become one size. Throws InputError when there are more search nodes
/// than pad_to already, or fewer in a problem without depots.
///
/// Demands become parts of the capacity (problem/search_demands.h).
SearchInstance make_search_instance(const Instance& instance, const SearchOptions& options = {});

/// How far the costs are from the distances of the places that the network sees: the root of the mean square error
/// over all pairs of nodes, as a share of the root of their mean square, at the scale that fits best. 0: the same.
/// Always 0 without a matrix.
double plane_error(const SearchInstance& search);

}  // namespace neuopt
