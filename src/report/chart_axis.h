// The scale of a chart's axis: from values to places on the page, with ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace neuopt::report {

struct Tick {
  double value = 0;
  std::string text;
};

class AxisScale {
 public:
  /// Values from `low` to `high` (widened when they are equal) onto `begin` to `end`. A logarithmic axis needs values
  /// above 0. `whole`: ticks at whole numbers only.
  AxisScale(double low, double high, double begin, double end, bool logarithmic, bool whole);

  double place(double value) const;
  /// About `wanted` ticks at 1, 2 or 5 times a power of ten, all with the same number of decimals.
  std::vector<Tick> ticks(int wanted) const;

  double low() const { return low_; }
  double high() const { return high_; }
  /// Widens the axis so that it begins and ends at ticks.
  void round_outwards(int wanted);

 private:
  double step(int wanted) const;

  double low_, high_, begin_, end_;
  bool logarithmic_, whole_;
  double rounded_step_ = 0;  // of the ticks that round_outwards has moved to
};

/// A number as people read it: thousands apart by thin spaces, a true minus sign.
std::string readable_number(double value, int decimals);

}  // namespace neuopt::report
