#include "viewer/session.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "problem/embed.h"
#include "problem/rounding.h"
#include "problem/schedule.h"
#include "search/model_choice.h"
#include "viewer/examples.h"
#include "viewer/watcher.h"

namespace neuopt::viewer {
namespace {

using Json = nlohmann::ordered_json;

std::string to_text(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string instance_json(const Instance& instance, const std::vector<std::string>& notes) {
  Json object;
  object["name"] = printable_text(instance.name);
  object["problem"] = problem_name(instance.kind);
  object["size"] = instance.customers();
  object["depot"] = traits(instance.kind).depots ? instance.depot : -1;
  object["capacity"] = instance.capacity;
  object["vehicles"] = instance.vehicles;
  object["demand"] = instance.demand;
  object["reference"] = instance.reference_cost ? Json(*instance.reference_cost) : Json();
  object["notes"] = notes;
  Json x = Json::array(), y = Json::array();
  for (const Point& point : map_points(instance)) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  object["x"] = std::move(x);
  object["y"] = std::move(y);
  if (!instance.windows.empty()) {
    for (const TimeWindow& window : instance.windows) object["windows"].push_back({window.opens, window.closes});
    object["service"] = instance.service;
    object["rounding"] = rounding_name(instance.metric);
  }
  return to_text(object);
}

/// A tour over the instance's nodes, the depot at every visit, as a solution.
Solution solution_of(const Instance& instance, const std::vector<int>& tour) {
  if (!traits(instance.kind).depots) return {{tour}};
  Solution solution;
  std::vector<int> route;
  for (const int node : tour) {
    if (node != instance.depot) {
      route.push_back(node);
      continue;
    }
    if (!route.empty()) solution.routes.push_back(std::move(route));
    route.clear();
  }
  if (!route.empty()) solution.routes.push_back(std::move(route));
  if (!traits(instance.kind).windows) return solution;
  const Scheduler scheduler(instance);
  for (std::vector<int>& driven : solution.routes) driven = scheduler.as_driven(std::move(driven));
  return solution;
}

/// The way back.
std::vector<int> tour_of(const Instance& instance, const Solution& solution) {
  std::vector<int> tour;
  for (const auto& route : solution.routes) {
    if (traits(instance.kind).depots) tour.push_back(instance.depot);
    tour.insert(tour.end(), route.begin(), route.end());
  }
  return tour;
}

/// `seconds` without pauses and waiting.
std::string result_json(const Instance& instance, const SolveResult& result, double seconds) {
  Json object;
  object["cost"] = result.cost;
  object["verified"] = result.feasible;
  object["findings"] = Json::array();
  if (!result.feasible) object["findings"] = verify(instance, result.solution).findings;
  object["routes"] = numbered_routes(instance, result.solution).size();
  object["gap"] = result.gap ? Json(*result.gap) : Json();
  object["seconds"] = seconds;
  object["steps"] = result.steps;
  object["stopped_by"] = search::stop_reason_name(result.stopped_by);
  return to_text(object);
}

}  // namespace

Session::~Session() { stop(); }

void Session::end_search(std::shared_ptr<Pacer> next) {
  {
    const std::lock_guard lock(mutex_);
    if (pacer_) pacer_->stop();
    pacer_ = std::move(next);
    if (pacer_) board_.show_speed(pacer_->speed());
  }
  if (thread_.joinable()) thread_.join();  // may take a while: a step is never left half done
}

void Session::stop() {
  const std::lock_guard change(changes_);
  end_search();
}

void Session::prepare() {
  const std::lock_guard change(changes_);
  solver_.emplace(SolverOptions{.model = choice_.model, .device = choice_.device});
  if (instance_)
    solver_->model_for(*instance_);
  else if (!choice_.model.empty())
    search::load_named_model(choice_.model);
}

void Session::show(Instance instance, const std::vector<std::string>& notes) {
  if (instance.size > kMaxNodes)
    throw InputError(fmt::format("{} nodes, the viewer shows up to {}", instance.size, kMaxNodes));
  const Diagnosis diagnosis = diagnose(instance);
  if (!diagnosis.solvable)
    throw InputError("there is no feasible solution: " +
                     (diagnosis.findings.empty() ? "no reason given" : diagnosis.findings.front()));
  const std::string json = instance_json(instance, notes);
  const std::lock_guard change(changes_);
  end_search();
  const std::lock_guard lock(mutex_);
  instance_ = std::make_shared<const Instance>(std::move(instance));
  board_.show_instance(json);
}

void Session::load(std::string_view bytes, const std::string& filename, const FileOverrides& overrides) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(printable_text(text)); };
  Instance instance = parse_instance(bytes, filename, note, overrides);
  show(std::move(instance), notes);
}

void Session::load_example(std::string_view name) {
  std::optional<Example> example = find_example(name);
  if (!example) throw InputError("name: expected that of an example");
  show(std::move(example->instance));
}

void Session::generate(const GenerateRequest& request) {
  show(generate_uniform(request.kind, request.size, request.seed, 0));
}

void Session::start(const StartRequest& request) {
  const std::lock_guard change(changes_);
  if (!instance_) throw InputError("no instance yet: choose a file or generate one");
  const auto pacer = std::make_shared<Pacer>();
  pacer->set_speed(request.speed);
  if (request.paused) pacer->pause();
  end_search(pacer);
  thread_ = std::thread(&Session::search, this, request, instance_, pacer);
}

void Session::search(StartRequest request, const std::shared_ptr<const Instance>& instance,
                     const std::shared_ptr<Pacer>& pacer) {
  try {
    if (!solver_) solver_.emplace(SolverOptions{.model = choice_.model, .device = choice_.device});
    const std::string model = solver_->model_for(*instance).name;
    Json run;
    run["copies"] = request.copies;
    run["seed"] = request.seed;
    run["steps"] = request.steps;
    run["start"] = search::start_name(request.start);
    run["model"] = model.substr(model.find_last_of('/') + 1);
    run["device"] = solver_->device();
    board_.begin_run(to_text(run));
    if (pacer->paused()) board_.change_phase("running", "paused");

    Watcher watcher(board_, *pacer);
    SolveOptions options;
    options.copies = options.session_copies = request.copies;  // one session: the copies stay at the same step
    options.steps = request.steps;
    options.seed = request.seed;
    options.threads = choice_.threads;
    options.start = request.start;
    options.restart = 0;
    SolveCallbacks callbacks;
    callbacks.observer = &watcher;
    callbacks.stop = pacer->stop_flag();
    const SolveResult result = solver_->solve(*instance, options, callbacks);
    watcher.finish(result.cost, tour_of(*instance, result.solution));
    const double waited = std::chrono::duration<double>(pacer->waited()).count();
    const double seconds = std::max(result.seconds - waited, 0.0);
    board_.show_state("done", result_json(*instance, result, seconds));
  } catch (const std::exception& error) {
    board_.show_state("failed", to_text(Json{{"message", printable_text(error.what())}}));
  }
}

void Session::control(const ControlRequest& request) {
  using Action = ControlRequest::Action;
  const std::lock_guard lock(mutex_);
  if (!pacer_) return;
  if (request.speed) {
    pacer_->set_speed(*request.speed);
    board_.show_speed(*request.speed);
  }
  switch (request.action) {
    case Action::none:
      break;
    case Action::pause:
      pacer_->pause();
      board_.change_phase("running", "paused");
      break;
    case Action::step:
      pacer_->step();
      board_.change_phase("running", "paused");
      break;
    case Action::resume:
      pacer_->resume();
      board_.change_phase("paused", "running");
      break;
    case Action::stop:
      pacer_->stop();
      break;
  }
}

std::optional<Solution> Session::best_solution(const Instance& instance) const {
  const std::vector<int> tour = board_.best_tour();
  if (tour.empty()) return std::nullopt;
  Solution solution = solution_of(instance, tour);
  if (!verify(instance, solution).feasible) return std::nullopt;
  return solution;
}

std::optional<Download> Session::solution_file() const {
  const std::lock_guard lock(mutex_);
  const auto solution = instance_ ? best_solution(*instance_) : std::nullopt;
  if (!solution) return std::nullopt;
  return Download{harmless_name(instance_->name) + traits(instance_->kind).solution_ending, "text/plain; charset=utf-8",
                  write_solution(*instance_, *solution, verify(*instance_, *solution).cost)};
}

std::optional<Download> Session::picture() const {
  const std::lock_guard lock(mutex_);
  if (!instance_) return std::nullopt;
  const auto solution = best_solution(*instance_);
  return Download{harmless_name(instance_->name) + ".svg", "image/svg+xml",
                  draw_picture(*instance_, solution ? &*solution : nullptr)};
}

std::optional<Download> Session::instance_file() const {
  const std::lock_guard lock(mutex_);
  if (!instance_) return std::nullopt;
  return Download{harmless_name(instance_->name) + traits(instance_->kind).instance_ending, "text/plain; charset=utf-8",
                  write_instance(*instance_)};
}

}  // namespace neuopt::viewer
