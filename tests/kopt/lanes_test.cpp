// The exchange gives the same tour however many lanes share the work.
#include <gtest/gtest.h>

#include <vector>

#include "kopt/exchange.h"
#include "support/random_tour.h"
#include "support/thread_lanes.h"

namespace neuopt {
namespace {

TEST(Lanes, ShareAnExchange) {
  test::Draws draws(11);
  for (int round = 0; round < 40; ++round) {
    const int nodes = draws.between(4, 60);
    test::Tour serial = test::random_tour(nodes, draws);
    test::Tour shared = serial;
    std::vector<int> cuts, scratch(nodes);
    const kopt::Action action = test::make_action(serial.view(), test::random_choices(nodes, 5, draws), cuts);
    kopt::apply_exchange(SerialLanes{}, serial.view(), action, scratch.data());
    test::run_lanes(draws.between(2, 5), [&](test::ThreadLanes lanes) {
      kopt::apply_exchange(lanes, shared.view(), action, scratch.data());
    });
    ASSERT_EQ(shared.order, serial.order);
    ASSERT_EQ(shared.position, serial.position);
  }
}

}  // namespace
}  // namespace neuopt
