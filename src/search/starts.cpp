#include "search/starts.h"

#include <algorithm>

#include "env/host_instance.h"
#include "problem/start.h"
#include "problem/verify.h"

namespace neuopt::search {
namespace {

constexpr int kLargestRandomStart = 200;  // customers
constexpr double kFamiliar = 1.3;         // times the size that a model was trained on

/// Whether the model is better off with a tour that is half right. `trained_size` is the model's; 0: unknown.
bool greedy_helps(const SearchInstance& view, int trained_size) {
  return view.customers() > kLargestRandomStart || (trained_size > 0 && view.customers() > kFamiliar * trained_size);
}

bool begins_greedy(const SearchInstance& view, const Job& job) {
  if (job.start != StartKind::automatic) return job.start == StartKind::greedy;
  return greedy_helps(view, job.model.model ? job.model.model->trained_size : 0);
}

/// The solution with every overloaded route cut into routes that fit, in the same order of visits: a search must begin
/// from a feasible solution to know what "better" means.
Solution split_overloaded(const Instance& instance, const Solution& solution) {
  const double limit = instance.capacity * (1 + 1e-9);  // room for the rounding of sums that are not whole numbers
  Solution result;
  for (const auto& route : solution.routes) {
    double load = 0;
    bool open = false;
    for (const int node : route) {
      const double demand = instance.demand[static_cast<std::size_t>(node)];
      if (!open || load + demand > limit) {
        result.routes.emplace_back();
        load = 0;
        open = true;
      }
      load += demand;
      result.routes.back().push_back(node);
    }
  }
  return result;
}

/// A view with room for the solution's routes and an empty one.
SearchInstance view_for(const Instance& instance, const Solution& solution) {
  SearchOptions options;
  if (traits(instance.kind).depots)
    options.min_depots = 1 + static_cast<int>(std::count_if(solution.routes.begin(), solution.routes.end(),
                                                            [](const auto& route) { return !route.empty(); }));
  return make_search_instance(instance, options);
}

void begin_with(const Solution& initial, std::size_t copies, const WarningSink& note, PreparedJob& prepared) {
  const Instance& instance = *prepared.job->instance;
  prepared.view = view_for(instance, initial);
  std::vector<int> start = start_from(prepared.view, initial);  // throws when it is no solution at all
  if (traits(instance.kind).constrained && !verify(instance, initial).feasible) {
    if (note) note("the initial solution exceeds the capacity; its overloaded routes were cut into several");
    const Solution split = split_overloaded(instance, initial);
    prepared.view = view_for(instance, split);
    start = start_from(prepared.view, split);
  }
  prepared.starts.assign(copies, start);
}

}  // namespace

PreparedJob prepare(const Job& job, int copies, std::uint64_t seed, const WarningSink& note) {
  const auto count = static_cast<std::size_t>(copies);
  PreparedJob prepared{.job = &job, .view = {}, .starts = {}};
  if (job.initial != nullptr) {
    begin_with(*job.initial, count, note, prepared);
    return prepared;
  }
  prepared.view = make_search_instance(*job.instance);
  if (begins_greedy(prepared.view, job))
    prepared.starts.assign(count, greedy_start(prepared.view));  // the same for all: nothing in it is random
  else
    for (std::uint32_t copy = 0; copy < count; ++copy)
      prepared.starts.push_back(env::standard_start(prepared.view, Random{seed}, job.id, copy));
  return prepared;
}

}  // namespace neuopt::search
