#include "search/parts/part.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/unit_square.h"

namespace neuopt::search {
namespace {

/// Step 1: nodes, dummy depots first, in the unit square of the part. Returns the side of its square.
double place_nodes(const SearchInstance& whole, const PartPlan& plan, SearchInstance& view) {
  Point low{1, 1}, high{0, 0};
  const auto reach = [&](int node) {
    const auto i = static_cast<std::size_t>(node);
    low = {std::min<double>(low.x, whole.x[i]), std::min<double>(low.y, whole.y[i])};
    high = {std::max<double>(high.x, whole.x[i]), std::max<double>(high.y, whole.y[i])};
  };
  if (view.depots > 0) reach(0);
  for (const int customer : plan.customers) reach(customer);
  const UnitSquare square = fit_unit_square(low, high);
  const auto add = [&](int node) {
    const auto i = static_cast<std::size_t>(node);
    const Point place = square.map({whole.x[i], whole.y[i]});
    view.x.push_back(static_cast<float>(place.x));
    view.y.push_back(static_cast<float>(place.y));
  };
  for (int depot = 0; depot < view.depots; ++depot) add(0);
  for (const int customer : plan.customers) add(customer);
  return square.scale;
}

/// Step 2: costs. The whole's own are divided by a power of two, so that they stay what they are.
void set_costs(const SearchInstance& whole, const PartPlan& plan, double side, SearchInstance& view) {
  const int first = view.depots > 0 ? 1 : 0;  // row of the first customer; the depot's is 0
  view.nodes = first + static_cast<int>(plan.customers.size());
  view.node_of.assign(static_cast<std::size_t>(view.depots), 0);
  for (int row = first; row < view.nodes; ++row) view.node_of.push_back(row);
  view.cost_scale = side;
  if (whole.euclidean()) return;
  view.cost_scale = std::exp2(std::round(std::log2(side)));
  const auto rows = static_cast<std::size_t>(view.nodes);
  view.matrix.assign(rows * rows, 0.0f);
  const auto node = [&](int row) { return row < first ? 0 : plan.customers[static_cast<std::size_t>(row - first)]; };
  const auto factor = static_cast<float>(1 / view.cost_scale);
  for (int a = 0; a < view.nodes; ++a)
    for (int b = 0; b < a; ++b)
      view.matrix[static_cast<std::size_t>(a) * rows + static_cast<std::size_t>(b)] =
          view.matrix[static_cast<std::size_t>(b) * rows + static_cast<std::size_t>(a)] =
              whole.edge_cost(node(a), node(b)) * factor;
}

/// Times are the whole's own.
void set_times(const SearchInstance& whole, const PartPlan& plan, double side, SearchInstance& view) {
  view.times.assign(static_cast<std::size_t>(view.depots), whole.times[0]);
  for (const int customer : plan.customers) view.times.push_back(whole.times[static_cast<std::size_t>(customer)]);
  view.ticks = whole.ticks;
  view.ticks.per_cost *= view.cost_scale;
  view.tick_length = static_cast<float>(whole.tick_length / side);
}

/// Step 3: the pairs of nodes whose edges stay.
void set_fixed(const PartPlan& plan, SearchInstance& view) {
  const auto node = [&](int place) { return place < 0 ? 0 : view.depots + place; };
  for (const auto& [a, b] : plan.fixed) view.fix_edge(node(a), node(b));
}

/// Step 4: the present solution, routes in order, depots of empty routes last.
std::vector<int> present_tour(const PartPlan& plan, const SearchInstance& view) {
  std::vector<int> tour;
  std::size_t route = 0;
  for (int place = 0; place < static_cast<int>(plan.customers.size()); ++place) {
    if (route < plan.route_begins.size() && plan.route_begins[route] == place)
      tour.push_back(static_cast<int>(route++));
    tour.push_back(view.depots + place);
  }
  for (int depot = static_cast<int>(route); depot < view.depots; ++depot) tour.push_back(depot);
  return tour;
}

}  // namespace

Part make_part(const SearchInstance& whole, PartPlan plan) {
  Part part;
  SearchInstance& view = part.view;
  view.kind = whole.kind;
  view.depots = plan.nodes - static_cast<int>(plan.customers.size());
  const double side = place_nodes(whole, plan, view);
  set_costs(whole, plan, side, view);
  set_fixed(plan, view);
  if (view.depots > 0) {
    view.demand.assign(static_cast<std::size_t>(view.depots), 0.0f);
    for (std::size_t i = 0; i < plan.customers.size(); ++i)
      view.demand.push_back(whole.demand[static_cast<std::size_t>(plan.customers[i])] + plan.extra_demand[i]);
  }
  if (!whole.times.empty()) set_times(whole, plan, side, view);
  part.start = present_tour(plan, view);
  part.neighbours = local::find_neighbours(view);
  part.customers = std::move(plan.customers);
  part.routes = std::move(plan.routes);
  part.chains = std::move(plan.chains);
  return part;
}

}  // namespace neuopt::search
