#include "io/solution_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/keyword_warnings.h"
#include "io/text_cursor.h"

namespace neuopt {
namespace {

/// .sol numbers the customers from 1 in the order of the file, passing over the depot where there is one.
int node_of_customer(const Instance& instance, int number) {
  return !traits(instance.kind).depots || number - 1 < instance.depot ? number - 1 : number;
}

/// One line "Route #K: CUSTOMERS", from behind its first word. The number K says nothing and may be missing.
std::vector<int> read_route(TextCursor& in, const Instance& instance) {
  std::string_view label = in.take_before(':');
  if (label.starts_with('#')) label.remove_prefix(1);
  while (label.starts_with(' ')) label.remove_prefix(1);
  if (!label.empty() && !parse_integer(label)) {
    in.fail(fmt::format("expected the number of a route before the colon, found {}", quote_bytes(label)));
  }
  std::vector<int> route;
  while (!in.at_line_end()) {
    route.push_back(node_of_customer(instance, in.take_integer("a customer", 1, instance.customers())));
  }
  if (route.empty() && !traits(instance.kind).depots) in.fail("an empty route, expected a tour of node numbers");
  return route;
}

SolutionFile parse_routes(TextCursor& in, const Instance& instance, KeywordWarnings& warnings) {
  constexpr NumberRange any{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
  SolutionFile result;
  while (!in.at_end()) {
    if (!in.at_keyword()) in.fail_expected("\"Route #K: CUSTOMERS\" or \"Cost X\"");
    const long line = in.line();
    const std::string_view keyword = in.take_keyword();
    if (lower_case(keyword) == "route") {
      result.solution.routes.push_back(read_route(in, instance));
    } else if (lower_case(keyword) == "cost") {
      if (result.cost) in.fail("the cost is given twice");
      result.cost = in.take_number_in_line("the cost", any);
      in.expect_line_end();
    } else {
      warnings.unknown(keyword, line);
      in.take_line();
    }
  }
  if (result.solution.routes.empty() && !result.cost) in.fail_expected("\"Route #K: CUSTOMERS\" or \"Cost X\"");
  return result;
}

/// "Length = X" anywhere in a comment, or "(X)" at its end.
std::optional<double> cost_in_comment(std::string_view comment) {
  constexpr std::string_view label = "Length = ";
  if (const std::size_t at = comment.find(label); at != std::string_view::npos) {
    const std::string_view value = comment.substr(at + label.size());
    return parse_number(value.substr(0, value.find_first_of(" ,;")));
  }
  const std::size_t open = comment.rfind('(');
  if (open == std::string_view::npos || !comment.ends_with(')')) return std::nullopt;
  return parse_number(comment.substr(open + 1, comment.size() - open - 2));
}

/// Node numbers up to -1, a keyword or the end of the file.
std::vector<int> read_tour(TextCursor& in, const Instance& instance) {
  std::vector<int> tour;
  while (!in.at_end() && !in.at_keyword()) {
    if (in.peek_token() == "-1") {
      in.take_integer("-1", -1, -1);
      break;
    }
    tour.push_back(in.take_integer("a node number", 1, instance.size) - 1);
  }
  if (tour.empty()) in.fail_expected("a tour of node numbers");
  // A list of tours ends with a -1 of its own.
  if (in.peek_token() == "-1") in.take_integer("-1", -1, -1);
  if (!in.at_end() && !in.at_keyword()) in.fail_expected("one tour that ends with -1");
  return tour;
}

/// One entry "KEYWORD: value" of a .tour file other than its tour.
void read_tour_entry(TextCursor& in, std::string_view written, long line, const Instance& instance,
                     SolutionFile& result, KeywordWarnings& warnings) {
  const std::string keyword = upper_case(written);
  if (keyword == "COMMENT") {
    if (const auto cost = cost_in_comment(in.take_line())) result.cost = cost;
  } else if (keyword == "TYPE") {
    const std::string_view type = in.take_token_in_line("TOUR");
    if (upper_case(type) != "TOUR") in.fail(fmt::format("expected TYPE TOUR, found {}", quote_bytes(type)));
    in.take_line();
  } else if (keyword == "DIMENSION") {
    in.take_integer_in_line("the number of nodes of the instance", instance.size, instance.size);
    in.expect_line_end();
  } else {
    if (keyword != "NAME") warnings.unknown(written, line);
    in.take_line();
  }
}

SolutionFile parse_tour(TextCursor& in, const Instance& instance, KeywordWarnings& warnings) {
  SolutionFile result;
  auto& routes = result.solution.routes;
  if (!in.at_keyword()) routes.push_back(read_tour(in, instance));
  while (!in.at_end()) {
    const long line = in.line();
    const std::string_view written = in.take_keyword();
    const std::string keyword = upper_case(written);
    if (keyword == "EOF") break;
    if (keyword == "TOUR_SECTION") {
      if (!routes.empty()) in.fail("a second tour, expected only one");
      routes.push_back(read_tour(in, instance));
    } else {
      read_tour_entry(in, written, line, instance, result, warnings);
    }
  }
  if (routes.empty()) in.fail("expected a TOUR_SECTION, found the end of the file without it");
  return result;
}

void append_numbers(std::string& out, const std::vector<int>& numbers, char separator) {
  for (const int number : numbers) fmt::format_to(std::back_inserter(out), "{}{}", separator, number);
}

void check_writable(const Instance& instance, const Solution& solution) {
  if (const ProblemTraits problem = traits(instance.kind); !problem.depots && solution.routes.size() != 1)
    throw InputError(fmt::format("a solution of a {} must be one tour", problem.label));
  for (const auto& route : solution.routes) {
    for (const int node : route) {
      if (node < 0 || node >= instance.size || instance.is_depot(node)) {
        throw InputError(fmt::format("a solution visits node index {}, which is no customer", node));
      }
    }
  }
}

}  // namespace

SolutionFile parse_solution(std::string_view bytes, const std::string& filename, const Instance& instance,
                            const WarningSink& warn) {
  TextCursor in(bytes, filename);
  KeywordWarnings warnings(warn, filename);
  const std::string_view first = in.peek_token();
  const bool routes = lower_case(first) == "route" || lower_case(first) == "cost";
  return routes || traits(instance.kind).depots ? parse_routes(in, instance, warnings)
                                                : parse_tour(in, instance, warnings);
}

SolutionFile read_solution_file(const std::string& path, const Instance& instance, const WarningSink& warn) {
  return parse_solution(read_file(path), path, instance, warn);
}

std::vector<std::vector<int>> numbered_routes(const Instance& instance, const Solution& solution) {
  check_writable(instance, solution);
  std::vector<std::vector<int>> routes;
  for (const auto& route : solution.routes) {
    if (route.empty()) continue;
    routes.push_back(route);
    for (int& node : routes.back()) node = traits(instance.kind).depots ? instance.customer_number(node) : node + 1;
  }
  return routes;
}

std::string write_solution(const Instance& instance, const Solution& solution, double cost) {
  const std::vector<std::vector<int>> routes = numbered_routes(instance, solution);
  std::string out;
  if (!traits(instance.kind).depots) {
    out = fmt::format("NAME: {}\nCOMMENT: Length = {}\nTYPE: TOUR\nDIMENSION: {}\nTOUR_SECTION",
                      printable_text(instance.name), cost, instance.size);
    for (const auto& tour : routes) append_numbers(out, tour, '\n');
    return out + "\n-1\nEOF\n";
  }
  int number = 0;
  for (const auto& route : routes) {
    out += fmt::format("Route #{}:", ++number);
    append_numbers(out, route, ' ');
    out += '\n';
  }
  return out + fmt::format("Cost {}\n", cost);
}

}  // namespace neuopt
