#include "search/search_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "problem/normalize.h"
#include "problem/rounding.h"
#include "problem/start.h"

namespace neuopt::search {
namespace {

using Json = nlohmann::ordered_json;

std::string to_line(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// In the units of the file.
void put_times(Json& header, const Instance& instance, const SearchInstance& search) {
  for (const int node : search.node_of) {
    const TimeWindow& window = instance.windows[static_cast<std::size_t>(node)];
    header["windows"].push_back({window.opens, window.closes});
    header["service"].push_back(instance.service[static_cast<std::size_t>(node)]);
  }
  header["rounding"] = rounding_name(instance.metric);
  header["side"] = search.cost_scale / (search.ticks.per_cost * search.tick_length);
}

}  // namespace

SearchLogWriter::SearchLogWriter(const std::string& path, const Instance& instance, const SolveOptions& options,
                                 SearchLogInfo info)
    : path_(path), instance_(instance), options_(options), info_(std::move(info)) {
  check_writable(path);
}

void SearchLogWriter::begin(const SearchInstance& search, std::span<const std::vector<int>> starts) {
  begun_ = true;
  attempt([&] { file_.emplace(path_); });
  cost_scale_ = search.cost_scale;
  Json header;
  header["type"] = "header";
  header["version"] = 1;
  header["name"] = instance_.name;
  header["problem"] = problem_name(search.kind);
  header["nodes"] = search.size();
  header["depots"] = search.depots;
  header["x"] = search.x;
  header["y"] = search.y;
  if (!search.demand.empty()) header["demand"] = search.demand;
  if (traits(instance_.kind).windows) put_times(header, instance_, search);
  header["node_of"] = search.node_of;
  header["copies"] = starts.size();
  header["seed"] = options_.seed;
  header["stall"] = options_.stall_limit;
  header["augment_start"] = options_.augment_start;
  header["model"] = info_.model;
  header["device"] = info_.device;
  for (const std::vector<int>& start : starts)
    header["start"].push_back({{"cost", tour_cost(search, start) * cost_scale_}, {"tour", start}});
  write_line(to_line(header));
}

void SearchLogWriter::step(const policy::StepRecord& record) {
  // Written by hand: this is the one place where a line is made for every step.
  std::string line = fmt::format(
      R"({{"type":"step","copy":{},"step":{},"cost":{:.12g},"best":{},"best_eps":{},"feasible":{},)"
      R"("violation":{:.6g},"k":{},"augmented":{})",
      record.copy, record.step + 1, record.cost * cost_scale_, json_number(record.best_cost * cost_scale_, 12),
      json_number(record.best_epsilon_cost * cost_scale_, 12), !(record.violation > 0), record.violation, record.k,
      record.augmented);
  if (info_.tours)
    line += fmt::format(R"(,"chosen":[{}],"tour":[{}])", fmt::join(record.chosen, ","), fmt::join(record.order, ","));
  if (info_.tours && !record.polished.empty())
    line += fmt::format(R"(,"polished":[{}])", fmt::join(record.polished, ","));
  write_line(line + "}");
}

/// The header of a search without steps: it begins where it ends.
void SearchLogWriter::begin_at(const Solution& solution) {
  SearchOptions depots;
  depots.min_depots = static_cast<int>(solution.routes.size()) + 1;
  const SearchInstance search = make_search_instance(instance_, depots);
  const std::vector<int> tour = start_from(search, solution);
  begin(search, std::span(&tour, 1));
}

void SearchLogWriter::finish(const SolveResult& result) {
  if (!begun_) begin_at(result.solution);
  Json last;
  last["type"] = "result";
  last["cost"] = result.cost;
  last["feasible"] = result.feasible;
  last["steps"] = result.steps;
  last["copies"] = result.copies;
  last["stopped_by"] = stop_reason_name(result.stopped_by);
  last["seconds"] = result.seconds;
  write_line(to_line(last));
  attempt([&] { file_->complete(); });
  file_.reset();
  if (failure_) std::rethrow_exception(failure_);
}

void SearchLogWriter::write_line(std::string line) {
  line += '\n';
  attempt([&] { file_->append(line); });
}

void SearchLogWriter::attempt(const std::function<void()>& write) {
  if (failure_) return;
  try {
    write();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

}  // namespace neuopt::search
