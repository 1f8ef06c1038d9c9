#include "problem/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/numbers.h"
#include "problem/schedule.h"

namespace neuopt {
namespace {

/// A list of findings that stops growing at kMaxFindings and then says how many more there are. Those that are to be
/// named however many they are come after it. It knows what nodes and routes are called.
class Findings {
 public:
  Findings(const Instance& instance, Numbering numbering) : instance_(instance), numbering_(numbering) {}

  std::size_t route_number(std::size_t index) const { return index + first(); }
  int node_number(int index) const { return index + static_cast<int>(first()); }
  /// Who is missing or late, as files or programs call it.
  std::string who(int index) const {
    if (numbering_ == Numbering::indices || !traits(instance_.kind).depots)
      return fmt::format("node {}", node_number(index));
    return fmt::format("customer {}", instance_.customer_number(index));
  }

  void add(std::string text) {
    if (++count_ <= kMaxFindings) listed_.push_back(std::move(text));
  }
  void add_always(std::string text) { always_.push_back(std::move(text)); }
  bool empty() const { return count_ == 0 && always_.empty(); }
  std::vector<std::string> take() {
    if (count_ > kMaxFindings) listed_.push_back(fmt::format("and {} more", count_ - kMaxFindings));
    listed_.insert(listed_.end(), always_.begin(), always_.end());
    return std::move(listed_);
  }

 private:
  std::size_t first() const { return numbering_ == Numbering::files ? 1 : 0; }

  const Instance& instance_;
  Numbering numbering_;
  std::vector<std::string> listed_, always_;
  int count_ = 0;
};

/// Finds indices that are no customers; returns whether there are none.
bool check_indices(const Instance& instance, const Solution& solution, Findings& findings) {
  for (std::size_t route = 0; route < solution.routes.size(); ++route) {
    for (const int node : solution.routes[route]) {
      if (node < 0 || node >= instance.size)
        findings.add(fmt::format("route {} has node index {}, which is not in 0..{}", findings.route_number(route),
                                 node, instance.size - 1));
      else if (instance.is_depot(node))
        findings.add(fmt::format("route {} visits the depot between its customers", findings.route_number(route)));
    }
  }
  return findings.empty();
}

void check_visits(const Instance& instance, const Solution& solution, Findings& findings) {
  std::vector<std::vector<std::size_t>> visits(static_cast<std::size_t>(instance.size));
  for (std::size_t route = 0; route < solution.routes.size(); ++route)
    for (const int node : solution.routes[route]) visits[node].push_back(findings.route_number(route));
  for (int node = 0; node < instance.size; ++node) {
    if (instance.is_depot(node)) continue;
    const auto& seen = visits[node];
    if (seen.empty()) findings.add(findings.who(node) + " missing");
    if (seen.size() == 2 && seen[0] == seen[1])
      findings.add(fmt::format("{} visited twice (route {})", findings.who(node), seen[0]));
    else if (seen.size() == 2)
      findings.add(fmt::format("{} visited twice (routes {} and {})", findings.who(node), seen[0], seen[1]));
    else if (seen.size() > 2)
      findings.add(fmt::format("{} visited {} times", findings.who(node), seen.size()));
  }
}

void check_fixed_edges(const Instance& instance, const Solution& solution, Findings& findings) {
  if (instance.fixed_edges.empty()) return;
  std::set<std::pair<int, int>> edges;
  for (const auto& route : solution.routes)
    for (std::size_t i = 0; i < route.size(); ++i)
      edges.insert(std::minmax({route[i], route[i + 1 < route.size() ? i + 1 : 0]}));
  for (const auto& [a, b] : instance.fixed_edges)
    if (edges.count(std::minmax({a, b})) == 0)
      findings.add(
          fmt::format("the fixed edge of nodes {} and {} missing", findings.node_number(a), findings.node_number(b)));
}

void check_tour(const Instance& instance, const Solution& solution, Findings& findings) {
  if (solution.routes.size() != 1) findings.add(fmt::format("{} routes, expected one tour", solution.routes.size()));
  check_fixed_edges(instance, solution, findings);
}

std::vector<double> route_loads(const Instance& instance, const Solution& solution) {
  std::vector<double> loads;
  for (const auto& route : solution.routes)
    loads.push_back(std::accumulate(route.begin(), route.end(), 0.0, [&](double load, int node) {
      return load + instance.demand[static_cast<std::size_t>(node)];
    }));
  return loads;
}

void check_vehicles(const Instance& instance, const Solution& solution, Findings& findings) {
  const int used = solution.routes_in_use();
  if (instance.vehicles > 0 && used > instance.vehicles)
    findings.add(fmt::format("{} routes, {} more than there are vehicles", used, used - instance.vehicles));
}

/// Finds the routes over capacity and returns them.
std::vector<int> check_loads(const Instance& instance, const std::vector<double>& loads, Findings& findings) {
  std::vector<int> overloaded;
  const double tolerance = load_tolerance(instance);
  for (std::size_t route = 0; route < loads.size(); ++route) {
    const double excess = loads[route] - instance.capacity;
    // A load that is not a number is a finding as well.
    if (excess <= tolerance) continue;
    overloaded.push_back(static_cast<int>(route));
    findings.add(fmt::format("route {} over capacity by {:.12g} ({:.12g} of {:.12g})", findings.route_number(route),
                             excess, loads[route], instance.capacity));
  }
  return overloaded;
}

/// Finds the stops and returns that are late, names all of them, and returns them.
std::vector<LateStop> check_times(const Instance& instance, const Solution& solution, Findings& findings) {
  std::vector<LateStop> late;
  const Scheduler scheduler(instance);
  for (std::size_t route = 0; route < solution.routes.size(); ++route) {
    const RouteSchedule day = scheduler.schedule(solution.routes[route]);
    const auto add = [&](int node, double by) { late.push_back({static_cast<int>(route), node, by}); };
    for (const ScheduledStop& stop : day.stops) {
      if (!(stop.late > 0)) continue;
      add(stop.node, stop.late);
      findings.add_always(fmt::format("{} late by {:.10g} (route {} is there at {:.10g}, the window closes at {:.10g})",
                                      findings.who(stop.node), stop.late, findings.route_number(route), stop.arrival,
                                      instance.windows[static_cast<std::size_t>(stop.node)].closes));
    }
    if (!(day.late > 0)) continue;
    add(instance.depot, day.late);
    findings.add_always(fmt::format("route {} back late by {:.10g} (at {:.10g}, the depot closes at {:.10g})",
                                    findings.route_number(route), day.late, day.back,
                                    instance.windows[static_cast<std::size_t>(instance.depot)].closes));
  }
  return late;
}

double route_length(const Instance& instance, const std::vector<int>& route) {
  if (route.empty()) return 0;
  const bool depots = traits(instance.kind).depots;
  int last = depots ? instance.depot : route.back();
  double length = 0;
  for (const int node : route) {
    length += instance.distance(last, node);
    last = node;
  }
  return depots ? length + instance.distance(last, instance.depot) : length;
}

}  // namespace

double load_tolerance(const Instance& instance) {
  const bool exact = is_whole(instance.capacity) && all_whole(instance.demand);
  return exact ? 0 : 1e-5 * instance.capacity;
}

std::string incompleteness(const Instance& instance, const Solution& solution) {
  Findings findings(instance, Numbering::files);
  if (check_indices(instance, solution, findings)) {
    if (!traits(instance.kind).depots) check_tour(instance, solution, findings);
    check_visits(instance, solution, findings);
  }
  return findings.empty() ? "" : findings.take().front();
}

Verdict verify(const Instance& instance, const Solution& solution, Numbering numbering) {
  Verdict verdict;
  Findings findings(instance, numbering);
  if (check_indices(instance, solution, findings)) {
    for (const auto& route : solution.routes) verdict.cost += route_length(instance, route);
    if (instance.metric == Metric::dimacs_2d) verdict.cost = std::round(10 * verdict.cost) / 10;  // a sum of tenths
    switch (instance.kind) {
      case ProblemKind::tsp:
        check_tour(instance, solution, findings);
        break;
      case ProblemKind::cvrp:
        check_vehicles(instance, solution, findings);
        verdict.loads = route_loads(instance, solution);
        verdict.overloaded = check_loads(instance, verdict.loads, findings);
        break;
      case ProblemKind::vrptw:
        check_vehicles(instance, solution, findings);
        verdict.loads = route_loads(instance, solution);
        verdict.overloaded = check_loads(instance, verdict.loads, findings);
        verdict.late = check_times(instance, solution, findings);
        break;
    }
    check_visits(instance, solution, findings);  // last: many may be missing, and the list ends somewhere
  }
  verdict.findings = findings.take();
  verdict.feasible = verdict.findings.empty();
  return verdict;
}

}  // namespace neuopt
