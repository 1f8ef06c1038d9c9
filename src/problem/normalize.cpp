#include "problem/normalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/numbers.h"
#include "core/philox.h"
#include "problem/embed.h"
#include "problem/opening_order.h"
#include "problem/search_demands.h"
#include "problem/search_times.h"
#include "problem/size_rules.h"
#include "problem/unit_square.h"
#include "problem/validate.h"

namespace neuopt {
namespace {

constexpr int kAllPairsUpTo = 500;      // nodes; beyond, the scale is estimated
constexpr int kSampledPairs = 100'000;  // that it is estimated from

UnitSquare fit_unit_square(const std::vector<Point>& points) {
  Point low = points.front(), high = points.front();
  for (const Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const UnitSquare square = fit_unit_square(low, high);
  if (!std::isfinite(square.scale) || !std::isfinite(square.shift.x) || !std::isfinite(square.shift.y))
    throw InputError("coordinates are not finite or too far apart");
  return square;
}

bool in_unit_square(const Point& point) { return point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1; }

/// Whether points lie in the unit square and need no larger scale: the network knows instances that fill it, and in a
/// small corner of it single precision runs out.
bool fills_unit_square(const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(), in_unit_square) && fit_unit_square(points).scale >= 0.25;
}

/// Whether the places of the nodes must be found from their distances.
bool needs_embedding(const Instance& instance) {
  return instance.coordinates.empty() || three_dimensional(instance.metric);
}

/// The power of two nearest to the ratio of the distances and the lengths in the unit square; a tenth of one where
/// distances are tenths.
double power_of_two_scale(const Instance& instance, const std::vector<Point>& unit) {
  double distance = 0, length = 0;
  const auto add = [&](int from, int to) {
    distance += instance.distance(from, to);
    length += std::hypot(unit[from].x - unit[to].x, unit[from].y - unit[to].y);
  };
  if (instance.size <= kAllPairsUpTo)
    for (int from = 0; from < instance.size; ++from)
      for (int to = 0; to < from; ++to) add(from, to);
  else
    for (std::uint32_t pair = 0; pair < kSampledPairs; ++pair) {
      const Philox4 words = Random{0}.words(Draw::instance, 0, 0, pair, 0);
      add(static_cast<int>(uniform_below(words.word[0], static_cast<std::uint32_t>(instance.size))),
          static_cast<int>(uniform_below(words.word[1], static_cast<std::uint32_t>(instance.size))));
    }
  const double parts = instance.metric == Metric::dimacs_2d ? 10 : 1;  // so that tenths stay whole numbers
  if (!(distance > 0) || !(length > 0)) return 1 / parts;
  return std::exp2(std::round(std::log2(parts * distance / length))) / parts;
}

std::vector<float> scaled_distances(const Instance& instance, double scale) {
  const auto size = static_cast<std::size_t>(instance.size);
  std::vector<float> matrix(size * size);
  for (int from = 0; from < instance.size; ++from)
    for (int to = 0; to < from; ++to)
      matrix[from * size + to] = matrix[to * size + from] = scaled_distance(instance, from, to, scale);
  return matrix;
}

/// Dummy depots that bring the search to the number of nodes asked for.
int padding(const SearchOptions& options, const Instance& instance, int nodes) {
  if (options.pad_to == 0 || options.pad_to == nodes) return 0;
  if (options.pad_to < nodes)
    throw InputError(fmt::format("{} search nodes, more than the {} to pad them to", nodes, options.pad_to));
  if (const ProblemTraits problem = traits(instance.kind); !problem.depots)
    throw InputError(
        fmt::format("{} nodes of a {} cannot be padded to {}: it has no depots", nodes, problem.label, options.pad_to));
  return options.pad_to - nodes;
}

/// Step 1: a depot if there is one, then the customers in index order.
void order_nodes(const Instance& instance, SearchInstance& search) {
  if (traits(instance.kind).depots) {
    search.depots = 1;
    search.node_of.push_back(instance.depot);
  }
  for (int node = 0; node < instance.size; ++node)
    if (!instance.is_depot(node)) search.node_of.push_back(node);
  if (!traits(instance.kind).demands) return;
  const std::vector<float> demands = search_demands(instance);
  for (const int node : search.node_of) search.demand.push_back(demands[static_cast<std::size_t>(node)]);
  search.demand[0] = 0;
}

/// What the search knows of time, with `side` the length in the file of a side of the unit square.
void set_times(const Instance& instance, double side, SearchInstance& search) {
  if (!traits(instance.kind).windows) return;
  const SearchTimes times = make_search_times(instance, search.cost_scale);
  for (const int node : search.node_of) search.times.push_back(times.stops[static_cast<std::size_t>(node)]);
  search.ticks = times.rule;
  search.tick_length = static_cast<float>(times.tick / side);
}

/// Step 2: the places of the instance's nodes in the unit square, the costs of its edges and its times.
std::vector<Point> place_nodes(const Instance& instance, int matrix_up_to, SearchInstance& search) {
  const bool unit_metric = instance.metric == Metric::unit;
  std::vector<Point> points = needs_embedding(instance) ? embed_in_plane(instance) : instance.coordinates;

  UnitSquare square;
  if (!unit_metric || !fills_unit_square(points)) square = fit_unit_square(points);
  for (Point& point : points) point = square.map(point);

  search.cost_scale = unit_metric ? square.scale : power_of_two_scale(instance, points);
  set_times(instance, square.scale, search);
  if (unit_metric) return points;
  if (instance.size <= matrix_up_to)
    search.matrix = scaled_distances(instance, search.cost_scale);
  else
    search.file = &instance;
  return points;
}

/// A view with one depot, seen as one with a depot for every route.
struct OneDepotStops {
  const SearchInstance& search;
  int depots;

  int at(int node) const { return node < depots ? 0 : node - depots + 1; }
  const StopTimes& times(int node) const { return search.times[static_cast<std::size_t>(at(node))]; }
  float demand(int node) const { return search.demand[static_cast<std::size_t>(at(node))]; }
  std::int32_t travel(int from, int to) const { return search.travel_time(at(from), at(to)); }
};

/// Routes of the paper's start, from a view with one depot. That with time windows takes too long for large instances,
/// which nobody begins with it: there, what the demands need.
int routes_of_start(const SearchInstance& search) {
  const int customers = search.customers();
  if (customers == 0) return 0;
  if (search.times.empty() || search.nodes > kMatrixUpTo)
    return pack_in_order(std::span(search.demand).subspan(1)).back() + 1;
  std::vector<int> order(2 * static_cast<std::size_t>(customers)), waiting(static_cast<std::size_t>(customers));
  return fill_by_opening(OneDepotStops{search, customers}, customers, customers, order.data(), waiting.data());
}

template <class T>
void repeat_first(int times, std::vector<T>& values) {
  const T first = values.front();
  values.insert(values.begin(), static_cast<std::size_t>(times), first);
}

/// Step 3: as many depots as the search is to have.
void add_depots(const Instance& instance, const SearchOptions& options, SearchInstance& search) {
  if (!traits(instance.kind).depots) {
    padding(options, instance, instance.size);
    return;
  }
  int depots =
      std::max({usual_depots(instance.kind, instance.customers()), routes_of_start(search) + 1, options.min_depots});
  if (options.max_depots > 0) depots = std::min(depots, options.max_depots);
  depots += padding(options, instance, depots + instance.customers());
  const int more = depots - search.depots;
  search.depots = depots;
  repeat_first(more, search.node_of);
  repeat_first(more, search.demand);
  repeat_first(more, search.x);
  repeat_first(more, search.y);
  if (!search.times.empty()) repeat_first(more, search.times);
}

}  // namespace

SearchInstance make_search_instance(const Instance& instance, const SearchOptions& options) {
  validate(instance);
  SearchInstance search;
  search.kind = instance.kind;
  search.nodes = instance.size;
  order_nodes(instance, search);
  const std::vector<Point> points = place_nodes(instance, options.matrix_up_to, search);
  for (const int node : search.node_of) {
    search.x.push_back(static_cast<float>(points[static_cast<std::size_t>(node)].x));
    search.y.push_back(static_cast<float>(points[static_cast<std::size_t>(node)].y));
  }
  allow_lone_visits(search);
  add_depots(instance, options, search);
  for (const auto& [a, b] : instance.fixed_edges) search.fix_edge(a, b);  // nodes of a TSP keep their numbers
  return search;
}

double plane_error(const SearchInstance& search) {
  if (search.matrix.empty()) return 0;
  const int first = std::max(search.depots - 1, 0);  // one depot stands for all
  double costs = 0, lengths = 0, both = 0;
  for (int a = first; a < search.size(); ++a)
    for (int b = first; b < a; ++b) {
      const double cost = search.edge_cost(a, b),
                   length = std::hypot(search.x[a] - search.x[b], search.y[a] - search.y[b]);
      costs += cost * cost;
      lengths += length * length;
      both += cost * length;
    }
  if (!(costs > 0)) return 0;
  const double explained = lengths > 0 ? both * both / lengths : 0;
  return std::sqrt(std::max(0.0, 1 - explained / costs));
}

}  // namespace neuopt
