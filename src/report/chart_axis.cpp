#include "report/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace neuopt::report {
namespace {

/// Decimals that show a number of this size.
int decimals_of(double value) { return std::clamp(static_cast<int>(-std::floor(std::log10(value) + 1e-9)), 0, 12); }

}  // namespace

AxisScale::AxisScale(double low, double high, double begin, double end, bool logarithmic, bool whole)
    : low_(low), high_(high), begin_(begin), end_(end), logarithmic_(logarithmic && low > 0), whole_(whole) {
  if (!(high_ > low_)) {
    const double margin = logarithmic_ ? low_ / 2 : std::max(std::abs(low_) / 10, 1e-6);
    low_ -= margin;
    high_ += margin;
  }
}

double AxisScale::place(double value) const {
  const double share = logarithmic_ ? std::log(std::max(value, 1e-300) / low_) / std::log(high_ / low_)
                                    : (value - low_) / (high_ - low_);
  // What lies far outside is cut off anyway, and huge numbers only make huge files.
  return begin_ + std::clamp(share, -100.0, 100.0) * (end_ - begin_);
}

double AxisScale::step(int wanted) const {
  if (rounded_step_ > 0) return rounded_step_;
  const double rough = (high_ - low_) / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power * (1 - 1e-9);  // 2.0000000001 is 2
  const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  return whole_ ? std::max(1.0, step) : step;
}

void AxisScale::round_outwards(int wanted) {
  if (logarithmic_) return;
  const double width = step(wanted);
  low_ = std::floor(low_ / width + 1e-9) * width;
  high_ = std::ceil(high_ / width - 1e-9) * width;
  rounded_step_ = width;
}

std::vector<Tick> AxisScale::ticks(int wanted) const {
  std::vector<Tick> ticks;
  if (logarithmic_) {
    const bool powers_only = std::log10(high_ / low_) > wanted / 2.0;
    for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10)
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * power;
        if (value < low_ * (1 - 1e-9) || value > high_ * (1 + 1e-9) || (powers_only && factor > 1)) continue;
        ticks.push_back({value, readable_number(value, decimals_of(value))});
      }
    return ticks;
  }
  const double width = step(wanted);
  const auto last = static_cast<long>(std::floor(high_ / width + 1e-9));
  for (auto index = static_cast<long>(std::ceil(low_ / width - 1e-9)); index <= last; ++index) {
    const double value = static_cast<double>(index) * width;
    ticks.push_back({value, readable_number(value, decimals_of(width))});
  }
  return ticks;
}

std::string readable_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > 3;) text.insert(at -= 3, "\u202f");
  const bool zero = text.find_first_not_of("0.\u202f") == std::string::npos;
  return value < 0 && !zero ? "\u2212" + text : text;
}

}  // namespace neuopt::report
