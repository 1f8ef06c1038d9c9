#include "search/starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/error.h"
#include "core/parallel.h"
#include "env/host_instance.h"
#include "local/polish.h"
#include "local/starts/greedy_edge.h"
#include "local/starts/insertion.h"
#include "local/starts/savings.h"
#include "local/starts/space_filling.h"
#include "problem/opening_order.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/pace.h"
#include "search/parts/search_by_parts.h"
#include "search/vehicle_bound.h"

namespace neuopt::search {
namespace {

/// What a better start than the curve takes at most, in times of what its neighbours took.
constexpr double kStartPerNeighbours = 2;

/// Local search from a tour; false when it was ended before it was done.
bool polish(const PreparedJob& prepared, const Until& until, std::vector<int>& order) {
  const std::vector<std::byte> nodes = env::node_table(prepared.view);
  const local::LocalTask task{.instance = env::view_of(prepared.view, nodes, env::GireParameters{}),
                              .neighbours = prepared.neighbours.view(),
                              .rules = {}};
  GoOn go_on(until);
  env::for_problem(prepared.view.kind, [&](auto problem) {
    using LocalSearch = local::LocalSearch<decltype(problem)>;
    std::vector<double> workspace(LocalSearch::bytes(prepared.view.size()) / sizeof(double) + 1);
    LocalSearch::polish(SerialLanes{}, task, order.data(), workspace.data(), go_on);
  });
  return go_on();
}

/// A solution that is built and not drawn, with the neighbours that it takes; nothing when there is no time for it.
std::optional<Solution> construct(const Until& until, int threads, PreparedJob& prepared) {
  const SearchInstance& view = prepared.view;
  if (until.over()) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  prepared.neighbours = local::find_neighbours(view, local::kUsualNeighbours, threads, until);
  if (prepared.job->start == StartKind::curve) return local::space_filling(view);
  if (until.seconds_left() < kStartPerNeighbours * seconds_between(begin, Clock::now())) return std::nullopt;
  static_assert(written_for(3));
  if (traits(view.kind).windows) return local::time_insertion(view, prepared.neighbours, until);
  return traits(view.kind).depots ? local::savings(view, prepared.neighbours, until)
                                  : local::greedy_edge(view, prepared.neighbours, until);
}

/// The solution of a tour with every route that is overloaded or late cut into routes that fit, in the same order of
/// visits or turned round: a search must begin from a feasible solution to know what "better" means.
Solution split_unfit(const SearchInstance& view, std::span<const int> order) {
  std::vector<std::vector<int>> routes;
  for (std::size_t end, begin = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && !view.is_depot(order[end]);) ++end;
    std::vector<int> route(order.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                           order.begin() + static_cast<std::ptrdiff_t>(end));
    auto parts = cut_to_fit(view, route);
    std::reverse(route.begin(), route.end());
    if (auto turned = cut_to_fit(view, route); turned.size() < parts.size()) parts = std::move(turned);
    std::move(parts.begin(), parts.end(), std::back_inserter(routes));
  }
  return solution_of(view, std::move(routes));
}

/// A view with room for the solution's routes and an empty one.
SearchInstance view_for(const Instance& instance, const Solution& solution) {
  SearchOptions options;
  if (traits(instance.kind).depots) options.min_depots = 1 + solution.routes_in_use();
  return make_search_instance(instance, options);
}

/// The search counts loads and times in coarser units than the verifier, rounded against the solution.
std::string why_split(const Instance& instance, const Solution& initial) {
  const Verdict verdict = verify(instance, initial);
  if (verdict.overloaded.empty() && verdict.late.empty())
    return "routes of the initial solution that leave less room than the search resolves were cut into several";
  return traits(instance.kind).windows
             ? "the initial solution is overloaded or late; such routes were cut into several"
             : "the initial solution exceeds the capacity; its overloaded routes were cut into several";
}

void begin_with(const Solution& initial, const WarningSink& note, PreparedJob& prepared) {
  const Instance& instance = *prepared.job->instance;
  prepared.view = view_for(instance, initial);
  std::vector<int> start = start_from(prepared.view, initial);  // throws when it is no solution at all
  const Solution split = traits(instance.kind).depots ? split_unfit(prepared.view, start) : initial;
  if (split.routes_in_use() > initial.routes_in_use()) {
    if (note) note(why_split(instance, initial));
    prepared.view = view_for(instance, split);
    start = start_from(prepared.view, split);
  }
  prepared.start = std::move(start);
}

/// What a matrix says may have nothing to do with any places in a plane, but places are what the network sees. Local
/// search works on the true distances.
void note_plane_error(const PreparedJob& prepared, const SolveOptions& options, const WarningSink& note) {
  constexpr double kFarFromPlane = 0.25;
  if (!note || !options.use_policy || prepared.job->instance->metric != Metric::explicit_matrix) return;
  if (const double error = plane_error(prepared.view); error > kFarFromPlane)
    note(
        fmt::format("the distances differ by {:.0f} % from those of the points in the plane that the model sees; what "
                    "improves is mostly local search, and searching without a policy may do better",
                    100 * error));
}

/// Lets the tours have no more depots than there are vehicles. Where no start with so few routes is found, `note` is
/// told and they keep those they have: their best solution is then the answer, and the verifier says what is wrong.
/// Where there are vehicles there are depots, and one start for all copies.
void bound_routes(const Until& until, int threads, const WarningSink& note, PreparedJob& prepared) {
  const Instance& instance = *prepared.job->instance;
  const int vehicles = instance.vehicles;
  if (vehicles == 0 || prepared.view.depots <= vehicles) return;
  if (const int fewest = fewest_vehicles(instance); vehicles < fewest) {
    if (note)
      note(fmt::format("{}: no solution has {} vehicles: the demands alone need {}", instance.name, vehicles, fewest));
    return;
  }
  prepared.fitted = fit_vehicles(instance, prepared.view, to_solution(prepared.view, *prepared.start), until);
  if (!prepared.fitted) {
    if (note) note(fmt::format("{}: no solution with {} vehicles was found to begin with", instance.name, vehicles));
    return;
  }
  const int routes = prepared.fitted->routes_in_use();
  prepared.view = make_search_instance(instance, {.min_depots = routes + 1, .max_depots = vehicles});
  if (prepared.neighbours.view().count > 0)
    prepared.neighbours = local::find_neighbours(prepared.view, local::kUsualNeighbours, threads, until);
  std::vector<int> order = start_from(prepared.view, *prepared.fitted);
  const bool automatic = prepared.job->initial == nullptr && prepared.job->start == StartKind::automatic;
  prepared.polished = automatic && polish(prepared, until, order);
  prepared.start = std::move(order);
}

/// One start for all copies: nothing in it is random.
void begin_with_built(const Until& until, int threads, PreparedJob& prepared) {
  const Job& job = *prepared.job;
  const ProblemTraits problem = traits(prepared.view.kind);
  if (job.start == StartKind::savings && (!problem.depots || problem.windows))
    throw InputError(fmt::format("start savings: a {} {}", problem.label,
                                 problem.depots ? "has time windows, which savings do not know" : "has no depot"));
  std::optional<Solution> solution = construct(until, threads, prepared);
  prepared.hurried = !solution && until.over();
  if (!solution) solution = local::space_filling(prepared.view);
  if (static_cast<int>(solution->routes.size()) > prepared.view.depots && problem.depots) {
    prepared.view = view_for(*job.instance, *solution);
    if (!prepared.hurried)
      prepared.neighbours = local::find_neighbours(prepared.view, local::kUsualNeighbours, threads, until);
  }
  std::vector<int> order = start_from(prepared.view, *solution);
  if (job.start == StartKind::automatic && !prepared.hurried) prepared.polished = polish(prepared, until, order);
  prepared.start = std::move(order);
}

/// What the paper's start asks.
struct ViewStops {
  const SearchInstance& view;

  const StopTimes& times(int node) const { return view.times[static_cast<std::size_t>(node)]; }
  float demand(int node) const { return view.demand[static_cast<std::size_t>(node)]; }
  std::int32_t travel(int from, int to) const { return view.travel_time(from, to); }
};

/// The paper's start for problems with time windows, whose time grows with customers times routes; nothing when there
/// is not enough of it. Large views have depots for the demands only: where these are too few for the windows, so that
/// the last route would take whoever is left, there are more of them afterwards.
std::optional<std::vector<int>> order_by_opening(const Until& until, PreparedJob& prepared) {
  const auto go_on = [&] { return !until.over(); };
  for (SearchInstance& view = prepared.view;;) {
    std::vector<int> order(static_cast<std::size_t>(view.size())), waiting(order.size());
    const int routes =
        fill_by_opening(ViewStops{view}, view.depots, view.customers(), order.data(), waiting.data(), go_on);
    if (routes < 0) return std::nullopt;
    if (routes < view.depots || view.depots > view.customers()) return order;
    view = make_search_instance(*prepared.job->instance, {.min_depots = 2 * view.depots});
  }
}

/// The start of the paper's protocol. With depots nothing in it is random: one for all copies. Others are drawn when
/// they are needed.
void begin_as_the_paper(const SolveOptions& options, const Until& until, PreparedJob& prepared) {
  const ProblemTraits problem = traits(prepared.view.kind);
  if (!problem.depots) return;
  std::optional<std::vector<int>> order =
      problem.windows ? order_by_opening(until, prepared) : start_of(prepared, options, 0);
  if (!order) {
    prepared.hurried = true;
    const Solution quickest = local::space_filling(prepared.view);
    if (static_cast<int>(quickest.routes.size()) > prepared.view.depots)
      prepared.view = view_for(*prepared.job->instance, quickest);
    order = start_from(prepared.view, quickest);
  }
  prepared.start = std::move(order);
}

PreparedJob prepare_one(const Job& job, const SolveOptions& options, const Until& until, int threads,
                        const WarningSink& note) {
  PreparedJob prepared;
  prepared.job = &job;
  if (job.initial != nullptr)
    begin_with(*job.initial, note, prepared);
  else
    prepared.view = make_search_instance(*job.instance);
  if (job.initial == nullptr && job.start == StartKind::random) begin_as_the_paper(options, until, prepared);
  if (job.initial == nullptr && job.start != StartKind::random) {
    begin_with_built(until, threads, prepared);
  } else if (options.polish != 0 || !options.use_policy || by_parts(prepared.view, options)) {
    prepared.neighbours = local::find_neighbours(prepared.view, local::kUsualNeighbours, threads, until);
  }
  bound_routes(until, threads, note, prepared);
  note_plane_error(prepared, options, note);
  return prepared;
}

}  // namespace

std::deque<PreparedJob> prepare(std::span<const Job* const> jobs, const SolveOptions& options, const Until& until,
                                const WarningSink& note) {
  const int threads = resolve_threads(options.threads), inner_threads = jobs.size() == 1 ? threads : 1;
  std::deque<PreparedJob> prepared(jobs.size());
  std::vector<std::vector<std::string>> notes(jobs.size());  // told in order, and by this thread
  parallel_for(static_cast<int>(jobs.size()), threads, [&](int i, int) {
    const auto place = static_cast<std::size_t>(i);
    const auto keep = [&](const std::string& text) { notes[place].push_back(text); };
    prepared[place] = prepare_one(*jobs[place], options, until, inner_threads, keep);
  });
  for (const auto& of_job : notes)
    for (const std::string& text : of_job)
      if (note) note(text);
  return prepared;
}

std::vector<int> start_of(const PreparedJob& prepared, const SolveOptions& options, int copy) {
  if (!prepared.start)
    return env::standard_start(prepared.view, Random{options.seed}, prepared.job->id, static_cast<std::uint32_t>(copy));
  return *prepared.start;
}

Solution make_start(const Instance& instance, StartKind start, std::uint64_t seed) {
  const Job job{.instance = &instance, .id = 0, .model = {}, .start = start, .initial = nullptr};
  const SolveOptions options{.copies = 1, .seed = seed, .polish = 0};
  const PreparedJob prepared = prepare_one(job, options, {}, 1, {});
  return to_solution(prepared.view, start_of(prepared, options, 0));
}

}  // namespace neuopt::search
