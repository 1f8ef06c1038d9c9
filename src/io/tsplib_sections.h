// The data sections of TSPLIB and CVRPLIB files, read from behind their keyword. Before a section allocates anything it
// makes sure that the rest of the file is long enough to hold it.
#pragma once

#include <utility>
#include <vector>

#include "io/text_cursor.h"
#include "io/tsplib_names.h"
#include "problem/instance.h"

namespace neuopt {

/// No coordinate, weight, demand or capacity may be larger: all costs stay exact integers in a double.
constexpr double magnitude_limit = 1e12;

/// Lines "NODE X Y", or "NODE X Y Z" when z is not null, in any order; each node exactly once.
std::vector<Point> read_coordinates(TextCursor& in, int size, std::vector<double>* z = nullptr);

/// Lines "NODE DEMAND" in any order; each node exactly once.
std::vector<double> read_demands(TextCursor& in, int size);

/// The depot's node index from a list of one node number that -1, EOF or the end of the file closes.
int read_depot(TextCursor& in, int size);

/// Fixed edges as pairs of node indices, from lines "NODE NODE" that -1, a keyword or the end of the file closes. What
/// no tour can have, and a cycle, is refused.
std::vector<std::pair<int, int>> read_edges(TextCursor& in, int size);

/// The whole size * size matrix from the entries that the layout lists. The diagonal becomes 0, whatever it says.
std::vector<double> read_matrix(TextCursor& in, int size, MatrixLayout layout);

}  // namespace neuopt
