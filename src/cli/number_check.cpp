#include "cli/number_check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "core/text.h"

namespace neuopt::cli {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

/// `help` stands in the help text, `expected` in the error.
CLI::Validator make_check(const std::function<bool(std::string&)>& holds, const std::string& help,
                          const std::string& expected) {
  return CLI::Validator(
      [holds, expected](std::string& text) {
        return holds(text) ? "" : fmt::format("expected {}, got {}", expected, quote_bytes(text));
      },
      help);
}

}  // namespace

CLI::Validator whole_number(long least, long most) {
  return make_check(
      [=](std::string& text) {
        const auto value = parse_integer(text);
        if (!value || *value < least || *value > most) return false;
        text = std::to_string(*value);
        return true;
      },
      fmt::format("{}..{}", least, most), fmt::format("a whole number from {} to {}", least, most));
}

CLI::Validator number_in(double least, double most) {
  return make_check(
      [=](const std::string& text) {
        const auto value = parse_number(text);
        return value && *value >= least && *value <= most;
      },
      fmt::format("{}..{}", least, most), fmt::format("a number from {} to {}", least, most));
}

CLI::Validator finite_number() {
  return make_check([](const std::string& text) { return parse_number(text).has_value(); }, "", "a finite number");
}

CLI::Validator number_above_zero(double most) {
  const bool bounded = most < kLargest;
  return make_check(
      [=](const std::string& text) {
        const auto value = parse_number(text);
        return value && *value > 0 && *value <= most;
      },
      bounded ? fmt::format("above 0, at most {:.0f}", most) : "above 0",
      bounded ? fmt::format("a number above 0 and at most {:.0f}", most) : "a finite number above 0");
}

}  // namespace neuopt::cli
