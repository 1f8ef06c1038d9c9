#include "cli/console.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "problem/problem_kind.h"

namespace neuopt::cli {

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

WarningSink warn_on_stderr() {
  return [](const std::string& warning) { say("neuopt: warning: " + warning + "\n"); };
}

void print_json(const nlohmann::ordered_json& object) {
  using Json = nlohmann::ordered_json;
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

nlohmann::ordered_json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const ProblemKind kind : kProblemKinds) names.push_back(traits(kind).name);
  return names;
}

std::string cost_text(double cost) {
  return cost == std::round(cost) ? fmt::format("{:.0f}", cost) : fmt::format("{:.6f}", cost);
}

}  // namespace neuopt::cli
