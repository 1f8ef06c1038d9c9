#include "cli/memory_option.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"

namespace neuopt::cli {
namespace {

/// A number of bytes with or without a unit: k, M, G, T for powers of 1000, ki, Mi, Gi, Ti for powers of 1024, each
/// with or without a b, in any case. Nothing when it is no such number, not above 0, or more than any machine has.
std::optional<double> parse_memory(std::string_view given) {
  const std::string small = lower_case(given);
  std::string_view text = small;
  if (text.ends_with('b')) text.remove_suffix(1);
  const bool binary = text.ends_with('i');
  if (binary) text.remove_suffix(1);
  constexpr std::string_view units = "kmgt";
  const std::size_t power = text.empty() ? units.npos : units.find(text.back());
  if (power != units.npos) text.remove_suffix(1);
  if (binary && power == units.npos) return std::nullopt;
  const std::optional<double> number = parse_number(text);
  const double bytes =
      number.value_or(0) * (power == units.npos ? 1 : std::pow(binary ? 1024.0 : 1000.0, double(power + 1)));
  return bytes >= 1 && bytes <= 1e18 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

void add_memory_option(CLI::App& command, double& limit, const std::string& what) {
  command
      .add_option_function<std::string>(
          "--memory-limit", [&limit](const std::string& text) { limit = *parse_memory(text); },
          what + ", as in 500M or 4G [what is free]")
      ->type_name("BYTES")
      ->check([](const std::string& text) {
        return parse_memory(text) ? "" : "expected a size above 0, as in 500M or 1.5G, got " + quote_bytes(text);
      });
}

}  // namespace neuopt::cli
