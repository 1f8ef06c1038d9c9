#include "local/starts/insertion.h"

#include <algorithm>
#include <numeric>

#include "env/host_instance.h"
#include "problem/packing.h"
#include "problem/start.h"

namespace neuopt::local {
namespace {

constexpr double kDelayShare = 0.5;    // of the delay of the next customer, beside the detour
constexpr double kFarFirst = 1;        // how much the way to the depot counts: far customers are hard to serve later
constexpr int kInsertAnywhere = 2000;  // customers up to which one may go anywhere when no neighbour of the route fits

class Insertion {
 public:
  Insertion(const SearchInstance& instance, const Neighbours& neighbours)
      : instance_(instance), view_(env::view_of(instance, {}, {})), lists_(neighbours.view()) {
    far_.resize(static_cast<std::size_t>(instance.customers()));
    std::iota(far_.begin(), far_.end(), instance.depots);
    std::stable_sort(far_.begin(), far_.end(), [&](int a, int b) { return from_depot(a) > from_depot(b); });
    routed_.assign(static_cast<std::size_t>(instance.size()), 0);
    left_ = far_.size();
  }

  bool done() const { return left_ == 0; }

  /// The next route.
  std::vector<int> build(const Until& until) {
    while (is_routed(far_[seed_])) ++seed_;
    stops_ = {0, 0};
    load_ = 0;
    insert({.customer = far_[seed_], .place = 1});
    while (!until.over()) {
      Choice best;
      for (std::size_t place = 1; place + 1 < stops_.size(); ++place)
        for (int i = 0; i < lists_.count; ++i) {
          const int customer = lists_.of(stops_[place])[i];
          if (is_routed(customer)) continue;
          offer(customer, place, best);
          offer(customer, place + 1, best);
        }
      if (best.customer < 0 && instance_.customers() <= kInsertAnywhere) look_everywhere(best);
      if (best.customer < 0) break;
      insert(best);
    }
    return {stops_.begin() + 1, stops_.end() - 1};
  }

 private:
  /// A customer and the stop before which it goes.
  struct Choice {
    int customer = -1;
    std::size_t place = 0;
    double value = 0;
  };

  bool is_routed(int customer) const { return routed_[static_cast<std::size_t>(customer)] != 0; }
  double from_depot(int customer) const { return env::edge_cost(view_, 0, customer); }
  const StopTimes& times(int node) const { return instance_.times[static_cast<std::size_t>(node)]; }
  float demand(int node) const { return instance_.demand[static_cast<std::size_t>(node)]; }

  void look_everywhere(Choice& best) const {
    for (const int customer : far_)
      for (std::size_t place = 1; place < stops_.size() && !is_routed(customer); ++place) offer(customer, place, best);
  }

  /// Weighs a place if the customer fits there.
  void offer(int customer, std::size_t place, Choice& best) const {
    if (exceeds_capacity(load_ + demand(customer))) return;
    const int before = stops_[place - 1], after = stops_[place];
    const double there = env::edge_cost(view_, before, customer), on = env::edge_cost(view_, customer, after);
    RouteClock clock{.time = leaves_[place - 1]};
    clock.visit(travel_ticks(view_.ticks, there), times(customer));
    const std::int32_t arrival = clock.time + travel_ticks(view_.ticks, on);
    if (clock.late > 0 || arrival > latest_[place]) return;
    const std::int32_t delay = std::max(0, std::max(arrival, times(after).opens) - begins_[place]);
    const double value = kFarFirst * from_depot(customer) - (there + on - env::edge_cost(view_, before, after)) -
                         kDelayShare * delay / view_.ticks.per_cost;
    if (best.customer < 0 || value > best.value) best = {customer, place, value};
  }

  /// Inserts a customer and times the route anew.
  void insert(const Choice& choice) {
    stops_.insert(stops_.begin() + static_cast<std::ptrdiff_t>(choice.place), choice.customer);
    routed_[static_cast<std::size_t>(choice.customer)] = 1;
    load_ += demand(choice.customer);
    --left_;
    const std::size_t count = stops_.size();
    leaves_.assign(count, 0);
    begins_.assign(count, 0);
    latest_.assign(count, times(0).closes);
    RouteClock clock;
    for (std::size_t i = 1; i < count; ++i) {
      clock.visit(env::travel_time(view_, stops_[i - 1], stops_[i]), times(stops_[i]));
      leaves_[i] = clock.time;
      begins_[i] = clock.time - times(stops_[i]).service;
    }
    for (std::size_t i = count - 1; i-- > 1;)
      latest_[i] = std::min(times(stops_[i]).closes, latest_[i + 1] - times(stops_[i]).service -
                                                         env::travel_time(view_, stops_[i], stops_[i + 1]));
  }

  const SearchInstance& instance_;
  env::InstanceView view_;
  NeighbourView lists_;
  std::vector<int> far_;  // customers, the farthest from the depot first
  std::size_t seed_ = 0;  // whoever comes before has a route
  std::size_t left_;      // customers without one
  std::vector<char> routed_;
  // The route that is built, from depot to depot.
  std::vector<int> stops_;
  std::vector<std::int32_t> leaves_, begins_, latest_;  // end and begin of service; latest arrival
  float load_ = 0;
};

}  // namespace

std::optional<Solution> time_insertion(const SearchInstance& instance, const Neighbours& neighbours,
                                       const Until& until) {
  Insertion insertion(instance, neighbours);
  std::vector<std::vector<int>> routes;
  while (!insertion.done()) {
    routes.push_back(insertion.build(until));
    if (until.over()) return std::nullopt;
  }
  return solution_of(instance, std::move(routes));
}

}  // namespace neuopt::local
