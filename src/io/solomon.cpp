#include "io/solomon.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"
#include "core/text.h"
#include "io/text_cursor.h"
#include "io/tsplib_sections.h"

namespace neuopt {
namespace {

/// The next line that is not empty; "" at the end of the text.
std::string_view next_line(TextCursor& in) { return in.at_end() ? std::string_view{} : in.take_line(); }

/// Passes a line that begins with a word.
void expect_line(TextCursor& in, std::string_view word) {
  if (in.peek_token() != word) in.fail_expected(fmt::format("a line that begins with {}", word));
  in.take_line();
}

void read_row(TextCursor& in, int number, Instance& instance) {
  in.take_integer(fmt::format("customer {}", number), number, number);
  const double x = in.take_number_in_line("an x coordinate", any_sign);
  const double y = in.take_number_in_line("a y coordinate", any_sign);
  instance.coordinates.push_back({x, y});
  instance.demand.push_back(in.take_number_in_line("a demand", not_negative));
  instance.windows.push_back(read_window(in));
  instance.service.push_back(in.take_number_in_line("a service time", not_negative));
  in.expect_line_end();
}

/// The first line of a file of that name; empty where it would not be read as the name.
std::string name_line(const std::string& name) {
  std::string line = printable_text(name);
  TextCursor in(line, "");
  const bool read = in.peek_token() != "VEHICLE" && in.take_line() == line;
  return read ? line : "";
}

}  // namespace

bool looks_like_solomon(std::string_view bytes) {
  TextCursor in(bytes, "");
  const std::string_view first = next_line(in);  // its name, which may be missing
  return (first == "VEHICLE" || next_line(in) == "VEHICLE") && next_line(in).starts_with("NUMBER");
}

Instance parse_solomon(std::string_view bytes, const std::string& filename, const FileOverrides& overrides) {
  TextCursor in(bytes, filename);
  Instance instance;
  instance.kind = ProblemKind::vrptw;
  instance.metric = overrides.rounding.value_or(Metric::dimacs_2d);
  if (in.peek_token() != "VEHICLE") instance.name = printable_text(next_line(in));
  expect_line(in, "VEHICLE");
  expect_line(in, "NUMBER");
  instance.vehicles = in.take_integer("the number of vehicles", 1, std::numeric_limits<int>::max());
  instance.capacity = read_capacity(in);
  expect_line(in, "CUSTOMER");
  expect_line(in, "CUST");
  NodeLines lines{.noun = "customer", .first = 0, .demand = {}, .service = {}, .window = {}};
  for (; !in.at_end(); ++instance.size) {
    lines.demand.push_back(in.line());
    read_row(in, instance.size, instance);
  }
  if (instance.size < 2) in.fail_expected("the depot and a customer");
  lines.service = lines.window = lines.demand;
  check_services(instance, filename, lines);
  overrides.bound_vehicles(instance, filename);
  return instance;
}

std::string write_solomon(const Instance& instance) {
  if (instance.kind != ProblemKind::vrptw)
    throw InputError(fmt::format("Solomon's files hold no {}, only the VRPTW", traits(instance.kind).label));
  if (instance.metric != Metric::dimacs_2d)
    throw InputError("Solomon's files mean distances that are cut after one decimal, and the instance has others");
  std::string text =
      fmt::format("{}\n\nVEHICLE\nNUMBER     CAPACITY\n{:>6} {:>12}\n\nCUSTOMER\n", name_line(instance.name),
                  instance.vehicles > 0 ? instance.vehicles : instance.customers(), instance.capacity);
  text += "CUST NO.  XCOORD.    YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE TIME\n\n";
  const auto append = [&](int number, int node) {
    const auto at = static_cast<std::size_t>(node);
    const Point& place = instance.coordinates[at];
    const TimeWindow& window = instance.windows[at];
    text += fmt::format("{:>5} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10}\n", number, place.x, place.y,
                        instance.demand[at], window.opens, window.closes, instance.service[at]);
  };
  append(0, instance.depot);
  for (int node = 0; node < instance.size; ++node)
    if (node != instance.depot) append(instance.customer_number(node), node);
  return text;
}

}  // namespace neuopt
