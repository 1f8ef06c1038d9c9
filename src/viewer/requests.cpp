#include "viewer/requests.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "io/json_lines.h"

namespace neuopt::viewer {
namespace {

nlohmann::json parse(std::string_view body) {
  if (body.size() > 4096) throw InputError("request: too long");
  return parse_json_object(body, "request");
}

/// A whole number between two limits; `missing` when the member is not there.
long whole(const nlohmann::json& object, const char* name, long low, long high, std::optional<long> missing) {
  if (missing && !object.contains(name)) return *missing;
  const auto value = whole_number_at(object, name, low, high);
  if (!value) throw InputError(fmt::format("{}: expected a whole number from {} to {}", name, low, high));
  return *value;
}

std::uint64_t seed_of(const nlohmann::json& object) {
  // JavaScript's whole numbers are exact up to 2^53.
  return static_cast<std::uint64_t>(whole(object, "seed", 0, (1L << 53) - 1, 1));
}

std::optional<double> speed_of(const nlohmann::json& object) {
  const auto speed = object.find("speed");
  if (speed == object.end()) return std::nullopt;
  const double value = speed->is_number() ? speed->get<double>() : -1;
  if (value != 0 && !(value >= kMinSpeed && value <= kMaxSpeed))
    throw InputError(fmt::format("speed: expected 0 or a number from {} to {}", kMinSpeed, kMaxSpeed));
  return value;
}

std::string word(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string parse_example(std::string_view body) { return word(parse(body), "name"); }

GenerateRequest parse_generate(std::string_view body) {
  const nlohmann::json object = parse(body);
  const std::string problem = word(object, "problem");
  const std::optional<ProblemKind> kind = parse_problem(problem);
  if (!kind) throw InputError(fmt::format("problem: expected {}", kProblemNames));
  GenerateRequest request;
  request.kind = *kind;
  request.size = static_cast<int>(whole(object, "size", 2, kMaxNodes - 1, std::nullopt));
  request.seed = seed_of(object);
  return request;
}

StartRequest parse_start(std::string_view body) {
  const nlohmann::json object = parse(body);
  StartRequest request;
  request.steps = whole(object, "steps", 1, kMaxSteps, request.steps);
  request.copies = static_cast<int>(whole(object, "copies", 1, kMaxCopies, request.copies));
  request.seed = seed_of(object);
  request.speed = speed_of(object).value_or(0);
  const auto paused = object.find("paused");
  if (paused != object.end() && !paused->is_boolean()) throw InputError("paused: expected true or false");
  request.paused = paused != object.end() && paused->get<bool>();
  if (object.contains("start")) {
    const std::optional<search::StartKind> start = search::parse_start(word(object, "start"));
    if (!start) throw InputError("start: expected auto, random, greedy, savings or curve");
    request.start = *start;
  }
  return request;
}

ControlRequest parse_control(std::string_view body) {
  const nlohmann::json object = parse(body);
  ControlRequest request;
  const std::string action = word(object, "action");
  using Action = ControlRequest::Action;
  if (action == "pause")
    request.action = Action::pause;
  else if (action == "resume")
    request.action = Action::resume;
  else if (action == "step")
    request.action = Action::step;
  else if (action == "stop")
    request.action = Action::stop;
  else if (object.contains("action"))
    throw InputError("action: expected pause, resume, step or stop");
  request.speed = speed_of(object);
  return request;
}

}  // namespace neuopt::viewer
