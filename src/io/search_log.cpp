#include "io/search_log.h"

#include <fmt/format.h>

#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/json_lines.h"

namespace neuopt {
namespace {

constexpr long kMaxCopies = 1'000'000;
constexpr long kMaxNodes = 100'000'000;
constexpr long kMaxSteps = 1'000'000'000;

/// One line and where it stands.
struct LogLine {
  const nlohmann::json& object;
  const std::string& filename;
  long number;

  [[noreturn]] void fail(const std::string& message) const { throw InputError(filename, number, message); }

  long whole(const char* name, long low, long high) const {
    const auto value = whole_number_at(object, name, low, high);
    if (!value) fail(fmt::format("{}: expected a whole number from {} to {}", name, low, high));
    return *value;
  }
};

void take_header(const LogLine& line, SearchLog& log) {
  const nlohmann::json& object = line.object;
  log.name = printable_text(object.at("name").get<std::string>());
  const auto problem = object.at("problem").get<std::string>();
  const std::optional<ProblemKind> kind = parse_problem(problem);
  if (!kind) line.fail(fmt::format("problem {}, expected {}", quote_bytes(problem), kProblemNames));
  log.kind = *kind;
  const long nodes = line.whole("nodes", 1, kMaxNodes);
  log.customers = static_cast<int>(nodes - line.whole("depots", 0, nodes));
  log.model = printable_text(object.value("model", ""));
  const long copies = line.whole("copies", 1, kMaxCopies);
  for (const auto& start : object.at("start")) log.start_cost.push_back(start.at("cost").get<double>());
  if (static_cast<long>(log.start_cost.size()) != copies) line.fail("expected as many starts as copies");
  log.copies.resize(static_cast<std::size_t>(copies));
}

double best_cost(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

void take_step(const LogLine& line, SearchLog& log) {
  const nlohmann::json& object = line.object;
  const long copy = line.whole("copy", 0, static_cast<long>(log.copies.size()) - 1);
  auto& steps = log.copies[static_cast<std::size_t>(copy)];
  LogStep step;
  step.step = line.whole("step", 1, kMaxSteps);
  if (step.step != static_cast<long>(steps.size()) + 1)
    line.fail(fmt::format("step {} of copy {}, expected step {}", step.step, copy, steps.size() + 1));
  step.cost = object.at("cost").get<double>();
  step.best = best_cost(object.at("best"));
  step.best_near = best_cost(object.at("best_eps"));
  step.feasible = object.at("feasible").get<bool>();
  step.k = static_cast<int>(line.whole("k", 1, 1000));
  steps.push_back(step);
}

}  // namespace

SearchLog parse_search_log(std::string_view bytes, const std::string& filename) {
  SearchLog log;
  for_each_json_line(bytes, filename, [&](const nlohmann::json& object, long line) {
    const auto type = object.at("type").get<std::string>();
    if (log.copies.empty() != (type == "header"))
      throw InputError(filename, line, log.copies.empty() ? "expected the header of a search log" : "a second header");
    if (type == "header")
      take_header({object, filename, line}, log);
    else if (type == "step")
      take_step({object, filename, line}, log);
  });
  if (log.copies.empty()) throw InputError(filename, 0, "no log of a search; 'neuopt solve --trace' writes one");
  return log;
}

SearchLog read_search_log(const std::string& path) { return parse_search_log(read_file(path), path); }

bool looks_like_search_log(std::string_view bytes) {
  return bytes.substr(0, 256).find("\"type\":\"header\"") != std::string_view::npos;
}

}  // namespace neuopt
