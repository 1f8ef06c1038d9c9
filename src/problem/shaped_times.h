// Time windows of shaped instances, for host and device alike: wide and narrow ones, a share of customers without one,
// short and long days, short and long services, windows anywhere in the day or in turn across the map, as in the files
// of the field. Whole ticks of kDrawnTick throughout, so that host and device agree to the bit.
#pragma once

#include "problem/generate_draw.h"
#include "problem/shaped_draw.h"
#include "problem/straight_line.h"

namespace neuopt {

/// The times of one instance. Shares are in thousandths.
struct ShapedDay {
  std::int32_t day;   // ticks
  int service;        // share of the day, 5..70
  bool even_service;  // the same for all customers; otherwise half as much to half as much again
  int width;          // of windows: share of the day, 30..100 or 100..500; each is half as wide to half as wide again
  int open;           // share of the customers without a window: none, or up to 750
  bool flows;         // windows open in turn across the map, so that neighbours can be served one after the other
  int waves_x;        // how often they do so from one side to the other, 1..3
  int waves_y;        // -3..3
};

NEUOPT_HD std::int32_t share_of(std::int32_t ticks, int thousandths) {
  return static_cast<std::int32_t>(std::int64_t{ticks} * thousandths / 1000);
}

/// A day leaves time to serve the farthest corner: there and back takes less than 2.83 sides of the map.
NEUOPT_HD ShapedDay draw_day(const ShapedWords& words) {
  constexpr auto kSide = static_cast<std::int32_t>(1 / kDrawnTick);
  const Philox4 kinds = words.draw(ShapedWords::day, 0), sizes = words.draw(ShapedWords::day, 1),
                flow = words.draw(ShapedWords::day, 2);
  const bool long_day = (kinds.word[0] & 1u) != 0, wide = (kinds.word[1] & 1u) != 0, all = (kinds.word[2] & 1u) != 0;
  return ShapedDay{share_of(kSide, long_day ? uniform_between(sizes.word[0], 8000, 40000)
                                            : uniform_between(sizes.word[0], 3200, 5000)),
                   uniform_between(sizes.word[1], 5, 70),
                   (kinds.word[3] & 1u) != 0,
                   wide ? uniform_between(sizes.word[2], 100, 500) : uniform_between(sizes.word[2], 30, 100),
                   all ? 0 : uniform_between(sizes.word[3], 0, 750),
                   uniform_below(flow.word[0], 3) == 0,
                   uniform_between(flow.word[1], 1, 3),
                   uniform_between(flow.word[2], -3, 3)};
}

/// Where in the free part of the day the window of a place lies: 0..kBoardSide - 1.
NEUOPT_HD std::int32_t place_in_day(const ShapedDay& day, std::uint32_t word, float x, float y) {
  if (!day.flows) return static_cast<std::int32_t>(uniform_below(word, kBoardSide));
  const auto turn = day.waves_x * static_cast<std::int64_t>(x * kBoardSide) +
                    day.waves_y * static_cast<std::int64_t>(y * kBoardSide) + uniform_below(word, kBoardSide / 8);
  return static_cast<std::int32_t>(turn & (kBoardSide - 1));
}

/// Window and service time of customer 0..customers-1 at a place of the unit square, with the depot at another. A
/// vehicle of its own can serve it, whenever in its window service begins.
NEUOPT_HD StopTimes draw_shaped_times(const ShapedWords& words, const ShapedDay& day, std::uint32_t customer, float x,
                                      float y, float depot_x, float depot_y) {
  const Philox4 block = words.draw(ShapedWords::times, customer);
  const double distance = straight_length(static_cast<double>(x) - depot_x, static_cast<double>(y) - depot_y);
  const std::int32_t travel = travel_ticks({1 / kDrawnTick, false}, distance);
  const int service_share = day.even_service ? 1000 : uniform_between(block.word[0], 500, 1500);
  const std::int32_t service = share_of(share_of(day.day, day.service), service_share);
  const std::int32_t room = day.day - service - 2 * travel;
  if (static_cast<int>(uniform_below(block.word[1], 1000)) < day.open) return {0, travel + room, service};
  const std::int32_t drawn = share_of(share_of(day.day, day.width), uniform_between(block.word[2], 500, 1500));
  const std::int32_t width = drawn < room ? drawn : room;
  const std::int64_t later = std::int64_t{room - width} * place_in_day(day, block.word[3], x, y) / kBoardSide;
  const std::int32_t opens = travel + static_cast<std::int32_t>(later);
  return {opens, opens + width, service};
}

}  // namespace neuopt
