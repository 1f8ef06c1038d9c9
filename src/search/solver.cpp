// The Solver of neuopt.h: what it solves becomes jobs for the search.
#include <fmt/format.h>

#include <set>

#include "backends/factory.h"
#include "neuopt.h"
#include "search/device.h"
#include "search/exact.h"
#include "search/pace.h"
#include "search/search.h"

namespace neuopt {

struct Solver::Parts {
  search::ModelShelf models;
  std::unique_ptr<policy::Backend> backend;

  /// None for a tiny instance.
  search::ChosenModel model_for(const Instance& instance, const SolveOptions& options) {
    if (search::is_tiny(instance)) return {};
    return models.choose(instance.kind, search::wanted_size(instance, options));
  }
  std::vector<SolveResult> search(std::span<const Instance> instances, const SolveOptions& options,
                                  const SolveCallbacks& callbacks);
};

std::vector<SolveResult> Solver::Parts::search(std::span<const Instance> instances, const SolveOptions& options,
                                               const SolveCallbacks& callbacks) {
  SolveOptions limited = options;
  if (options.time_limit) {
    const auto end = search::after(search::Clock::now(), *options.time_limit);
    limited.deadline = std::min(end, options.deadline.value_or(end));
  }
  std::vector<search::Job> jobs;
  std::set<const policy::Model*> noted;  // one note for each model is enough
  for (const Instance& instance : instances) {
    jobs.push_back({.instance = &instance,
                    .id = options.first_place + static_cast<std::uint32_t>(jobs.size()),
                    .model = options.use_policy ? model_for(instance, options) : search::ChosenModel{},
                    .start = options.start,
                    .initial = options.initial ? &*options.initial : nullptr});
    const policy::Model* model = jobs.back().model.model.get();
    if (model != nullptr && noted.insert(model).second)
      search::note_distance(*model, instance, options, callbacks.note);
  }
  return search::search_jobs(jobs, *backend, limited, callbacks);
}

Solver::Solver(SolverOptions options)
    : parts_(new Parts{.models = options.model_bytes.empty()
                                     ? search::ModelShelf(options.model)
                                     : search::ModelShelf::of_bytes(options.model_bytes, options.model),
                       .backend = search::open_device(options.device, options.note)}) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

SolveResult Solver::solve(const Instance& instance, const SolveOptions& options, const SolveCallbacks& callbacks) {
  validate(instance);
  SolveResult result = std::move(parts_->search({&instance, 1}, options, callbacks).at(0));
  if (!result.feasible && instance.vehicles == 0) {  // a bound on the vehicles may be out of reach, all else never is
    const Verdict verdict = verify(instance, result.solution);
    throw Error("internal error: the search's best solution is not feasible: " +
                (verdict.findings.empty() ? "no reason given" : verdict.findings.front()));
  }
  return result;
}

std::vector<SolveResult> Solver::solve(std::span<const Instance> instances, const SolveOptions& options,
                                       const SolveCallbacks& callbacks) {
  if (options.initial) throw InputError("an initial solution is for one instance, not for a set");
  for (std::size_t i = 0; i < instances.size(); ++i) try {
      validate(instances[i]);
    } catch (const InputError& error) {
      throw InputError(fmt::format("instance {} ({}): {}", i, instances[i].name, error.what()));
    }
  return parts_->search(instances, options, callbacks);
}

ModelLabel Solver::model_for(const Instance& instance, const SolveOptions& options) {
  const search::ChosenModel chosen = parts_->model_for(instance, options);
  return {chosen.name, chosen.model ? chosen.model->checksum : ""};
}

std::string Solver::device() const { return parts_->backend->name(); }

std::vector<std::string> devices() { return backends::backend_names(); }

}  // namespace neuopt
