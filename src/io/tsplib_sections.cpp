#include "io/tsplib_sections.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/error.h"
#include "problem/fixed_chains.h"
#include "problem/schedule.h"

namespace neuopt {
namespace {

/// A number takes a digit and, but for the last one, a separator. Called before anything of that size is allocated.
void require_room(const TextCursor& in, std::size_t numbers) {
  const std::size_t most = in.remaining() / 2 + 1;
  if (numbers > most) {
    in.fail(fmt::format("expected {} numbers in this section, but the rest of the file can hold {} at most", numbers,
                        most));
  }
}

/// Calls read_columns(node) once for each of `size` lines that start with a node number.
template <typename ReadColumns>
void read_node_lines(TextCursor& in, int size, ReadColumns read_columns) {
  std::vector<bool> seen(static_cast<std::size_t>(size));
  for (int line = 0; line < size; ++line) {
    if (in.at_end() || in.at_keyword()) {
      in.fail_expected(fmt::format("{} nodes in this section after the first {}", size - line, line));
    }
    const int number = in.take_integer("a node number", 1, size);
    if (seen[number - 1]) in.fail(fmt::format("node {} is given twice in this section", number));
    seen[number - 1] = true;
    read_columns(number - 1);
    in.expect_line_end();
  }
}

/// A value for each node, from lines "NODE VALUE".
template <typename Value, typename ReadValue>
std::vector<Value> read_column(TextCursor& in, int size, std::vector<long>& lines, ReadValue read_value) {
  const auto n = static_cast<std::size_t>(size);
  require_room(in, n * 2);
  std::vector<Value> values(n);
  lines.resize(n);
  read_node_lines(in, size, [&](int node) {
    lines[node] = in.line();
    values[node] = read_value();
  });
  return values;
}

}  // namespace

std::vector<Point> read_coordinates(TextCursor& in, int size, std::vector<double>* z) {
  const auto n = static_cast<std::size_t>(size);
  require_room(in, n * (z == nullptr ? 3 : 4));
  std::vector<Point> points(n);
  if (z != nullptr) z->resize(n);
  read_node_lines(in, size, [&](int node) {
    points[node].x = in.take_number_in_line("an x coordinate", any_sign);
    points[node].y = in.take_number_in_line("a y coordinate", any_sign);
    if (z != nullptr) (*z)[node] = in.take_number_in_line("a z coordinate", any_sign);
  });
  return points;
}

std::vector<double> read_demands(TextCursor& in, int size, std::vector<long>& lines) {
  return read_column<double>(in, size, lines, [&] { return in.take_number_in_line("a demand", not_negative); });
}

std::vector<double> read_service_times(TextCursor& in, int size, std::vector<long>& lines) {
  return read_column<double>(in, size, lines, [&] { return in.take_number_in_line("a service time", not_negative); });
}

std::vector<TimeWindow> read_windows(TextCursor& in, int size, std::vector<long>& lines) {
  return read_column<TimeWindow>(in, size, lines, [&] { return read_window(in); });
}

TimeWindow read_window(TextCursor& in) {
  const double opens = in.take_number_in_line("the time when the window opens", any_sign);
  const double closes = in.take_number_in_line("the time when the window closes", any_sign);
  if (closes < opens) in.fail(fmt::format("the time window closes at {}, before it opens at {}", closes, opens));
  return {opens, closes};
}

double read_capacity(TextCursor& in) {
  const double capacity = in.take_number_in_line("the capacity", not_negative);
  if (capacity == 0) in.fail("expected a capacity above 0");
  in.expect_line_end();
  return capacity;
}

namespace {

/// `where` are the lines of what is wrong with the node.
[[noreturn]] void refuse_node(int node, const std::vector<long>& where, const std::string& wrong,
                              const std::string& file, const NodeLines& lines) {
  throw InputError(file, where.empty() ? 0 : where[static_cast<std::size_t>(node)],
                   fmt::format("{} {}: {}", lines.noun, node + lines.first, wrong));
}

}  // namespace

void check_demands(const Instance& instance, const std::string& file, const NodeLines& lines) {
  for (int node = 0; node < instance.size; ++node) {
    const double demand = instance.demand[static_cast<std::size_t>(node)];
    if (node == instance.depot && demand != 0)
      refuse_node(node, lines.demand, fmt::format("a demand of {} at the depot, expected 0", demand), file, lines);
    if (demand > instance.capacity)
      refuse_node(node, lines.demand, fmt::format("a demand of {}, above the capacity {}", demand, instance.capacity),
                  file, lines);
  }
}

void check_services(const Instance& instance, const std::string& file, const NodeLines& lines) {
  check_demands(instance, file, lines);
  const Scheduler scheduler(instance);
  for (int node = 0; node < instance.size; ++node) {
    const double service = instance.service[static_cast<std::size_t>(node)];
    if (node == instance.depot && service != 0)
      refuse_node(node, lines.service, fmt::format("a service time of {} at the depot, expected 0", service), file,
                  lines);
    if (const std::string wrong = scheduler.wrong_times(node); !wrong.empty())
      refuse_node(node, lines.window, wrong, file, lines);
  }
}

int read_depot(TextCursor& in, int size) {
  const int depot = in.take_integer("the depot's node number", 1, size) - 1;
  if (in.at_end() || in.at_keyword()) return depot;
  if (in.peek_token() != "-1") {
    in.take_integer("another depot or -1", 1, size);
    in.fail("several depots are not supported, expected -1 after the first");
  }
  in.take_integer("-1", -1, -1);
  return depot;
}

std::vector<std::pair<int, int>> read_edges(TextCursor& in, int size) {
  FixedChains chains(size);
  std::vector<std::pair<int, int>> edges;
  while (!in.at_end() && !in.at_keyword()) {
    if (in.peek_token() == "-1") {
      in.take_integer("-1", -1, -1);
      break;
    }
    const int from = in.take_integer("a node of a fixed edge or -1", 1, size) - 1;
    const int to = in.take_integer_in_line("the other node of a fixed edge", 1, size) - 1;
    if (const std::string wrong = chains.add(from, to); !wrong.empty()) in.fail(wrong);
    in.expect_line_end();
    edges.emplace_back(from, to);
  }
  return edges;
}

std::vector<double> read_matrix(TextCursor& in, int size, MatrixLayout layout) {
  const auto n = static_cast<std::size_t>(size);
  std::size_t listed = 0;
  for (int row = 0; row < size; ++row) {
    listed += static_cast<std::size_t>(layout.last_column(row, size) - layout.first_column(row));
  }
  require_room(in, listed);
  std::vector<double> matrix(n * n);
  for (int row = 0; row < size; ++row) {
    for (int column = layout.first_column(row); column < layout.last_column(row, size); ++column) {
      if (row == column) {
        in.take_number("a diagonal edge weight", any_sign);
        continue;
      }
      const double weight = in.take_number("an edge weight", not_negative);
      double& mirrored = matrix[column * n + row];
      if (layout.part == MatrixLayout::Part::full && column < row && mirrored != weight) {
        in.fail(
            fmt::format("the weight from node {} to node {} is {}, but {} the other way: asymmetric distances are "
                        "not supported",
                        row + 1, column + 1, weight, mirrored));
      }
      matrix[row * n + column] = mirrored = weight;
    }
  }
  return matrix;
}

}  // namespace neuopt
