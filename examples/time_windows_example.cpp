// An instance with time windows from C++: made by hand, solved without a network, its schedule printed.
#include <cstdio>
#include <exception>

#include "neuopt.h"

namespace {

/// Five places and when they may be served; distances in minutes, cut after one decimal.
neuopt::Instance market() {
  neuopt::Instance instance;
  instance.kind = neuopt::ProblemKind::vrptw;
  instance.name = "market";
  instance.metric = neuopt::Metric::dimacs_2d;
  instance.coordinates = {{0, 0}, {12, 5}, {20, 8}, {-9, 7}, {-3, 15}};  // the depot is node 0
  instance.demand = {0, 4, 3, 5, 6};
  instance.capacity = 10;
  instance.windows = {{0, 120}, {60, 90}, {20, 40}, {0, 120}, {30, 35}};  // the depot's is the day
  instance.service = {0, 10, 10, 5, 5};
  instance.size = 5;
  return instance;
}

}  // namespace

int main() try {
  const neuopt::Instance instance = market();
  neuopt::SolveOptions options;
  options.use_policy = false;
  const neuopt::SolveResult result = neuopt::solve(instance, options);

  std::printf("cost %.1f, %zu routes\n", result.cost, result.solution.routes.size());
  const neuopt::Scheduler scheduler(instance);
  for (const auto& route : result.solution.routes) {
    const neuopt::RouteSchedule day = scheduler.schedule(route);
    std::printf("leaves at %.1f", day.departure);
    for (const neuopt::ScheduledStop& stop : day.stops)
      std::printf(", customer %d from %.1f to %.1f", stop.node, stop.start, stop.departure);
    std::printf(", back at %.1f\n", day.back);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "time_windows_example: %s\n", error.what());
  return 1;
}
