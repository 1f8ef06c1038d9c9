#include "cli/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/launch.h"
#include "core/error.h"
#include "problem/rounding.h"
#include "problem/verify.h"

namespace neuopt::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_array()) return text;
  text = "[";
  for (const Json& item : value) text += (text.size() > 1 ? ", " : "") + one_line(item);
  return text + "]";
}

/// Indented, but with lists of plain values, such as routes, and the plain objects of lists on a line each.
void append_json(std::string& text, const Json& value, std::size_t indent, bool listed = false) {
  const bool nested = std::any_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
  if (value.empty() || !value.is_structured() || (!nested && (listed || value.is_array()))) {
    text += one_line(value);
    return;
  }
  const std::string margin(indent + 2, ' ');
  text += value.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, item] : value.items()) {
    text += separator + margin;
    if (value.is_object()) text += one_line(key) + ": ";
    append_json(text, item, indent + 2, value.is_array());
    separator = ",\n";
  }
  text += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

WarningSink warn_on_stderr() {
  if (!speaks_for_launch()) return [](const std::string&) {};
  return [](const std::string& warning) { say("neuopt: warning: " + warning + "\n"); };
}

void flush_output() {
  // The second question is for what was lost when the buffer was full: the last of it may go through, or be nothing.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw ResourceError("cannot write to standard output");
}

void print_json(const nlohmann::ordered_json& object) {
  std::string text;
  append_json(text, object, 0);
  fmt::print("{}\n", text);
}

nlohmann::ordered_json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

int say_feasible(const Instance& instance, const Solution& solution, const std::string& what) {
  const Verdict verdict = verify(instance, solution);
  if (verdict.feasible) return 0;
  say(fmt::format("neuopt: {} is not feasible\n", what));
  for (const std::string& finding : verdict.findings) say("  " + finding + "\n");
  return 1;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const ProblemKind kind : kProblemKinds) names.push_back(traits(kind).name);
  return names;
}

std::string rounding_text(const Instance& instance, const FileOverrides& overrides) {
  const std::string_view name = rounding_name(instance.metric);
  return overrides.rounding || (traits(instance.kind).windows && !name.empty()) ? fmt::format(", rounding {}", name)
                                                                                : "";
}

std::string cost_text(double cost) {
  if (cost == std::round(cost)) return fmt::format("{:.0f}", cost);
  const bool tenths = cost == std::round(10 * cost) / 10;
  return fmt::format("{:.{}f}", cost, tenths ? 1 : 6);
}

}  // namespace neuopt::cli
