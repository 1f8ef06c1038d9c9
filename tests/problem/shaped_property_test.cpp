// Shaped instances of any size, number of depots and seed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "problem/shaped_instance.h"
#include "support/property.h"
#include "support/thread_lanes.h"

namespace neuopt {
namespace {

struct Rows {
  int depots, customers, capacity = 0;
  std::vector<float> x, y, demand;

  Rows(int depot_count, int customer_count)
      : depots(depot_count),
        customers(customer_count),
        x(static_cast<std::size_t>(depots + customers)),
        y(x.size()),
        demand(x.size()) {}

  ShapedView view() { return {depots, customers, x.data(), y.data(), depots > 0 ? demand.data() : nullptr}; }
};

struct Case {
  ShapedWords words;
  Rows rows;
};

Case any_case(bool routes) {
  const int depots = routes ? *rc::gen::inRange(1, 40) : 0;
  const ShapedWords words{Random{*rc::gen::arbitrary<std::uint64_t>()}, *rc::gen::arbitrary<std::uint64_t>()};
  Case drawn{words, Rows(depots, *rc::gen::inRange(2, 200))};
  drawn.rows.capacity = write_shaped_instance(SerialLanes{}, words, drawn.rows.view());
  return drawn;
}

TEST(ShapedProperty, OneAxisSpansTheUnitSquareAndTheOtherIsCentred) {
  test::check_property(300, [] {
    const Rows rows = any_case(*rc::gen::arbitrary<bool>()).rows;
    const auto [low_x, high_x] = std::minmax_element(rows.x.begin(), rows.x.end());
    const auto [low_y, high_y] = std::minmax_element(rows.y.begin(), rows.y.end());
    RC_ASSERT(*low_x >= 0 && *low_y >= 0 && *high_x <= 1 && *high_y <= 1);
    RC_ASSERT((*low_x == 0 && *high_x == 1) || (*low_y == 0 && *high_y == 1));
    RC_ASSERT(std::abs(*low_x + *high_x - 1) < 1e-6f && std::abs(*low_y + *high_y - 1) < 1e-6f);
  });
}

TEST(ShapedProperty, StandardStartFindsRoomAndNoDemandIsLarge) {
  test::check_property(300, [] {
    const Rows rows = any_case(true).rows;
    OrderPacking packing;
    for (std::size_t node = 0; node < rows.x.size(); ++node) {
      const bool depot = static_cast<int>(node) < rows.depots;
      if (depot) {
        RC_ASSERT(rows.demand[node] == 0 && rows.x[node] == rows.x[0] && rows.y[node] == rows.y[0]);
      } else {
        RC_ASSERT(rows.demand[node] > 0 && rows.demand[node] <= 0.3f);
        packing.add(rows.demand[node]);
      }
    }
    RC_ASSERT(packing.route < rows.depots);
  });
}

TEST(ShapedProperty, DemandsAreTheDrawnOnesOverTheCapacity) {
  test::check_property(100, [] {
    const Case drawn = any_case(true);
    const ShapedTraits traits = draw_traits(drawn.words, drawn.rows.customers);
    for (int customer = 0; customer < drawn.rows.customers; ++customer) {
      const auto demand = static_cast<float>(draw_demand(drawn.words, traits, static_cast<std::uint32_t>(customer)));
      RC_ASSERT(drawn.rows.demand[drawn.rows.depots + customer] == demand / static_cast<float>(drawn.rows.capacity));
    }
  });
}

TEST(ShapedProperty, LanesWriteWhatOneLaneWrites) {
  test::check_property(60, [] {
    const Case drawn = any_case(*rc::gen::arbitrary<bool>());
    Rows together(drawn.rows.depots, drawn.rows.customers);
    test::run_lanes(*rc::gen::inRange(2, 6), [&, view = together.view()](const test::ThreadLanes& lanes) {
      const int capacity = write_shaped_instance(lanes, drawn.words, view);
      if (lanes.first() == 0) together.capacity = capacity;
    });
    RC_ASSERT(together.capacity == drawn.rows.capacity);
    RC_ASSERT(together.x == drawn.rows.x && together.y == drawn.rows.y && together.demand == drawn.rows.demand);
  });
}

}  // namespace
}  // namespace neuopt
