// A whole shaped instance, written by the lanes of one row: places fitted into the unit square as make_search_instance
// fits those of a file, demands in units of a capacity that leaves the start in index order room, times in ticks.
#pragma once

#include <cstddef>

#include "core/lanes.h"
#include "problem/packing.h"
#include "problem/shaped_draw.h"
#include "problem/shaped_times.h"
#include "problem/unit_square.h"

namespace neuopt {

/// Where an instance goes: copies of the depot first (none in a TSP), then the customers.
struct ShapedView {
  int depots, customers;
  float* x;        // (depots + customers)
  float* y;        // (depots + customers)
  float* demand;   // (depots + customers) over capacity, 0 at depots; null for the TSP
  int stride = 1;  // from one demand to the next

  StopTimes* times = nullptr;                  // (depots + customers) in ticks of kDrawnTick; null without time windows
  std::size_t times_step = sizeof(StopTimes);  // bytes from one to the next

  NEUOPT_HD float& demand_of(int node) const { return demand[node * stride]; }
  NEUOPT_HD StopTimes& times_of(int node) const {
    return *reinterpret_cast<StopTimes*>(reinterpret_cast<char*>(times) + node * times_step);
  }
};

/// Lower left and upper right corner of the customers.
struct BoardBox {
  BoardPlace low, high;
};

/// Every lane looks at all customers: this is done once in hundreds of search steps, and lanes cannot reduce.
NEUOPT_HD BoardBox customers_box(const ShapedView& view) {
  const int first = view.depots, last = view.depots + view.customers;
  const BoardPlace start{static_cast<int>(view.x[first]), static_cast<int>(view.y[first])};
  BoardBox box{start, start};
  for (int node = first + 1; node < last; ++node) {
    const int x = static_cast<int>(view.x[node]), y = static_cast<int>(view.y[node]);
    box.low = BoardPlace{x < box.low.x ? x : box.low.x, y < box.low.y ? y : box.low.y};
    box.high = BoardPlace{x > box.high.x ? x : box.high.x, y > box.high.y ? y : box.high.y};
  }
  return box;
}

/// Routes of the standard start when whole demands meet this capacity.
NEUOPT_HD int routes_in_order(const ShapedView& view, int capacity) {
  OrderPacking packing;
  for (int node = view.depots; node < view.depots + view.customers; ++node)
    packing.add(view.demand_of(node) / static_cast<float>(capacity));
  return packing.route + 1;
}

/// The capacity for the whole demands in `view.demand`: the drawn load in one route for each depot, no demand above
/// three tenths of it, and room for the standard start. The loop is short: since no demand is above 0.3, every route
/// but the last is filled to more than 0.7, so the routes suffice once the load is 0.7, and it starts at 0.75 at most.
NEUOPT_HD int shaped_capacity(const ShapedView& view, const ShapedTraits& traits) {
  std::int64_t total = 0;
  int largest = 0;
  for (int node = view.depots; node < view.depots + view.customers; ++node) {
    const int demand = static_cast<int>(view.demand_of(node));
    total += demand;
    largest = demand > largest ? demand : largest;
  }
  const std::int64_t room = std::int64_t{traits.load} * view.depots;  // thousandths of a capacity
  const int by_load = static_cast<int>((1000 * total + room - 1) / room);
  const int by_largest = (10 * largest + 2) / 3;
  int capacity = by_load > by_largest ? by_load : by_largest;
  while (routes_in_order(view, capacity) > view.depots) capacity += capacity / 20 + 1;
  return capacity;
}

NEUOPT_HD Point as_point(const BoardPlace& place) {
  return {static_cast<double>(place.x), static_cast<double>(place.y)};
}

/// Writes the times of nodes that have their places.
template <class Lanes>
NEUOPT_HD void write_shaped_times(Lanes lanes, const ShapedWords& words, const ShapedView& view) {
  const ShapedDay day = draw_day(words);
  for (int node = lanes.first(); node < view.depots + view.customers; node += lanes.stride())
    view.times_of(node) = node < view.depots
                              ? StopTimes{0, day.day, 0}
                              : draw_shaped_times(words, day, static_cast<std::uint32_t>(node - view.depots),
                                                  view.x[node], view.y[node], view.x[0], view.y[0]);
  lanes.sync();
}

/// Writes instance `words` into the view and returns its capacity (0 for a TSP): the demands are those of draw_demand
/// over this capacity. At least one customer.
template <class Lanes>
NEUOPT_HD int write_shaped_instance(Lanes lanes, const ShapedWords& words, const ShapedView& view) {
  const ShapedTraits traits = draw_traits(words, view.customers);
  for (int customer = lanes.first(); customer < view.customers; customer += lanes.stride()) {
    const auto number = static_cast<std::uint32_t>(customer);
    const BoardPlace place = draw_place(words, traits, number);
    view.x[view.depots + customer] = static_cast<float>(place.x);
    view.y[view.depots + customer] = static_cast<float>(place.y);
    if (view.demand != nullptr)
      view.demand_of(view.depots + customer) = static_cast<float>(draw_demand(words, traits, number));
  }
  lanes.sync();
  const BoardBox box = customers_box(view);
  const int capacity = view.demand != nullptr ? shaped_capacity(view, traits) : 0;
  lanes.sync();  // all lanes have read what is overwritten now

  const UnitSquare square = fit_unit_square(as_point(box.low), as_point(box.high));
  const Point depot = as_point(draw_depot(words, traits, box.low, box.high));
  for (int node = lanes.first(); node < view.depots + view.customers; node += lanes.stride()) {
    const Point place = node < view.depots ? depot : Point{view.x[node], view.y[node]};
    const Point unit = square.map(place);
    view.x[node] = static_cast<float>(unit.x);
    view.y[node] = static_cast<float>(unit.y);
    if (view.demand != nullptr)
      view.demand_of(node) = node < view.depots ? 0.0f : view.demand_of(node) / static_cast<float>(capacity);
  }
  lanes.sync();
  if (view.times != nullptr) write_shaped_times(lanes, words, view);
  return capacity;
}

}  // namespace neuopt
