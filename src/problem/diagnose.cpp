// The part of the verifier that looks at an instance before it is solved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "problem/schedule.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

/// Bins for a volume; a whole number that came out a hair too large through rounding does not open another one.
int bins_for(double volume, double capacity) { return static_cast<int>(std::ceil(volume / capacity - 1e-9)); }

int count_duplicates(const Instance& instance) {
  std::vector<std::tuple<double, double, double>> points;
  for (std::size_t node = 0; node < instance.coordinates.size(); ++node) {
    const Point& point = instance.coordinates[node];
    points.emplace_back(point.x, point.y, node < instance.z.size() ? instance.z[node] : 0.0);
  }
  std::sort(points.begin(), points.end());
  return static_cast<int>(points.end() - std::unique(points.begin(), points.end()));
}

/// Reasons why no solution can exist; true when there is none.
bool check_demands(const Instance& instance, std::vector<std::string>& findings) {
  const std::size_t before = findings.size();
  if (!(instance.capacity > 0)) findings.push_back(fmt::format("capacity is {:.6g}", instance.capacity));
  int wrong = 0;
  for (int node = 0; node < instance.size; ++node) {
    const double demand = instance.demand[static_cast<std::size_t>(node)];
    if (node == instance.depot || (demand >= 0 && demand <= instance.capacity)) continue;
    if (++wrong > kMaxFindings) continue;
    const int customer = instance.customer_number(node);
    findings.push_back(demand > instance.capacity
                           ? fmt::format("customer {} has demand {:.6g}, above the capacity {:.6g}", customer, demand,
                                         instance.capacity)
                           : fmt::format("customer {} has demand {:.6g}", customer, demand));
  }
  if (wrong > kMaxFindings) findings.push_back(fmt::format("and {} more", wrong - kMaxFindings));
  return findings.size() == before;
}

/// The same for time windows.
bool check_times(const Instance& instance, std::vector<std::string>& findings) {
  const Scheduler scheduler(instance);
  int wrong = 0;
  for (int node = 0; node < instance.size; ++node) {
    const std::string reason = scheduler.wrong_times(node);
    if (reason.empty() || ++wrong > kMaxFindings) continue;
    findings.push_back(node == instance.depot ? fmt::format("depot: {}", reason)
                                              : fmt::format("customer {}: {}", instance.customer_number(node), reason));
  }
  if (wrong > kMaxFindings) findings.push_back(fmt::format("and {} more", wrong - kMaxFindings));
  return wrong == 0;
}

/// L2 for one threshold alpha <= capacity / 2: items above capacity - alpha stand alone, items above one half stand
/// apart from each other, and items from alpha to one half fill what the latter leave.
/// `items` falls, `total[k]` is the sum of the first k.
int threshold_bound(const std::vector<double>& items, const std::vector<double>& total, double capacity, double alpha) {
  const auto above = [&](double limit) {
    return std::lower_bound(items.begin(), items.end(), limit, std::greater<>()) - items.begin();
  };
  const auto alone = above(capacity - alpha);
  const auto large = above(capacity / 2);
  const auto small = std::upper_bound(items.begin(), items.end(), alpha, std::greater<>()) - items.begin();
  const double room = static_cast<double>(large - alone) * capacity - (total[large] - total[alone]);
  const double rest = small > large ? total[small] - total[large] : 0;
  return static_cast<int>(large) + std::max(0, bins_for(rest - room, capacity));
}

}  // namespace

int bin_packing_bound(std::vector<double> items, double capacity) {
  std::sort(items.begin(), items.end(), std::greater<>());
  std::vector<double> total(items.size() + 1, 0);
  std::partial_sum(items.begin(), items.end(), total.begin() + 1);
  int bound = bins_for(total.back(), capacity);
  for (std::size_t k = 0; k < items.size(); ++k)
    if (items[k] <= capacity / 2 && (k + 1 == items.size() || items[k + 1] != items[k]))
      bound = std::max(bound, threshold_bound(items, total, capacity, items[k]));
  return std::max(bound, threshold_bound(items, total, capacity, 0));
}

int fewest_vehicles(const Instance& instance) {
  std::vector<double> items = instance.demand;
  items.erase(items.begin() + instance.depot);
  return bin_packing_bound(std::move(items), instance.capacity + load_tolerance(instance));
}

Diagnosis diagnose(const Instance& instance) {
  Diagnosis diagnosis;
  diagnosis.solvable = true;
  if (traits(instance.kind).demands) {
    diagnosis.total_demand = std::accumulate(instance.demand.begin(), instance.demand.end(), 0.0);
    diagnosis.solvable = check_demands(instance, diagnosis.findings);
    if (diagnosis.solvable) {
      diagnosis.vehicles_bound = fewest_vehicles(instance);
      if (instance.vehicles > 0 && diagnosis.vehicles_bound > instance.vehicles) {
        diagnosis.solvable = false;
        diagnosis.findings.push_back(fmt::format("the demands need at least {} vehicles, there are {}",
                                                 diagnosis.vehicles_bound, instance.vehicles));
      }
    }
  }
  if (traits(instance.kind).windows) diagnosis.solvable &= check_times(instance, diagnosis.findings);
  diagnosis.duplicate_points = count_duplicates(instance);
  if (diagnosis.duplicate_points > 0)
    diagnosis.findings.push_back(fmt::format("{} node{} at the place of another", diagnosis.duplicate_points,
                                             diagnosis.duplicate_points == 1 ? "" : "s"));
  return diagnosis;
}

}  // namespace neuopt
