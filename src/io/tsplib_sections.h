// The data sections of TSPLIB and CVRPLIB files, read from behind their keyword. Before a section allocates anything it
// makes sure that the rest of the file is long enough to hold it.
#pragma once

#include <utility>
#include <vector>

#include "io/text_cursor.h"
#include "io/tsplib_names.h"
#include "problem/instance.h"
#include "problem/validate.h"

namespace neuopt {

constexpr NumberRange any_sign{-magnitude_limit, magnitude_limit};
constexpr NumberRange not_negative{0, magnitude_limit};

/// Where a file says what of its nodes, and what it calls them, for messages.
struct NodeLines {
  const char* noun = "node";
  int first = 1;                              // its number of the first node
  std::vector<long> demand, service, window;  // lines; empty where none is given
};

/// Lines "NODE X Y", or "NODE X Y Z" when z is not null, in any order; each node exactly once.
std::vector<Point> read_coordinates(TextCursor& in, int size, std::vector<double>* z = nullptr);

/// Lines "NODE DEMAND" or "NODE TIME" in any order; each node exactly once. `lines` becomes those of the nodes.
std::vector<double> read_demands(TextCursor& in, int size, std::vector<long>& lines);
std::vector<double> read_service_times(TextCursor& in, int size, std::vector<long>& lines);

/// Lines "NODE OPENS CLOSES" likewise.
std::vector<TimeWindow> read_windows(TextCursor& in, int size, std::vector<long>& lines);

/// One window, from the rest of a line. It must not close before it opens.
TimeWindow read_window(TextCursor& in);

/// A capacity and the end of its line.
double read_capacity(TextCursor& in);

/// Throws InputError with file and line when a node's demand is above the capacity, or the depot has one.
void check_demands(const Instance& instance, const std::string& file, const NodeLines& lines);
/// The same, and when a node of a problem with time windows can be served by no vehicle because its window is out of
/// reach or the depot closes before the vehicle is back. The depot has no service time either.
void check_services(const Instance& instance, const std::string& file, const NodeLines& lines);

/// The depot's node index from a list of one node number that -1, EOF or the end of the file closes.
int read_depot(TextCursor& in, int size);

/// Fixed edges as pairs of node indices, from lines "NODE NODE" that -1, a keyword or the end of the file closes. What
/// no tour can have, and a cycle, is refused.
std::vector<std::pair<int, int>> read_edges(TextCursor& in, int size);

/// The whole size * size matrix from the entries that the layout lists. The diagonal becomes 0, whatever it says.
std::vector<double> read_matrix(TextCursor& in, int size, MatrixLayout layout);

}  // namespace neuopt
