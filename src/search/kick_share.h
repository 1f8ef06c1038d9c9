// How much of a search by random kicks is done: it cools the search, and ends it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/numbers.h"
#include "search/pace.h"

namespace neuopt::search {

/// How long kicks go on; infinite: the other ends them.
struct KickBudget {
  double kicks = kInfinity, seconds = kInfinity;
};

class KickShare {
 public:
  /// The time begins now.
  KickShare(const KickBudget& budget, bool steps_end_it) : budget_(budget), steps_end_it_(steps_end_it) {}

  bool out_of_time() const { return !(by_clock() < 1); }

  /// 1 or more: all of it. Where steps are to end the search the clock may end it, but changes nothing before that.
  double done(std::int64_t kicks) const {
    const double by_kicks = static_cast<double>(kicks) / budget_.kicks;
    return steps_end_it_ ? by_kicks : std::max(by_kicks, by_clock());
  }

 private:
  double by_clock() const { return seconds_between(begin_, Clock::now()) / budget_.seconds; }

  KickBudget budget_;
  bool steps_end_it_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace neuopt::search
