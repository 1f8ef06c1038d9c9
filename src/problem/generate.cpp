#include "problem/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/error.h"
#include "core/memory.h"
#include "problem/generate_draw.h"
#include "problem/instance_memory.h"
#include "problem/shaped_instance.h"
#include "problem/size_rules.h"
#include "problem/validate.h"

namespace neuopt {
namespace {

/// An instance that has a size but no nodes yet, and room for them: a vector that grows would end with too much of it.
Instance sized_instance(ProblemKind kind, int customers) {
  if (customers < 1) throw InputError(fmt::format("size {}: expected at least 1", customers));
  Instance instance;
  instance.kind = kind;
  instance.size = customers + (traits(kind).depots ? 1 : 0);
  const auto nodes = static_cast<std::size_t>(instance.size);
  instance.coordinates.reserve(nodes);
  if (traits(kind).demands) instance.demand.reserve(nodes);
  if (traits(kind).windows) {
    instance.windows.reserve(nodes);
    instance.service.reserve(nodes);
  }
  return instance;
}

void draw_uniform_demands(const Random& random, std::uint64_t index, double capacity, Instance& instance) {
  instance.capacity = capacity == 0 ? uniform_capacity(instance.customers()) : capacity;
  if (!(instance.capacity >= kMaxUniformDemand && instance.capacity <= magnitude_limit))
    throw InputError(fmt::format("capacity {}: expected at least {}, the largest demand, and at most {}",
                                 instance.capacity, kMaxUniformDemand, magnitude_limit));
  instance.demand.push_back(0);
  for (int node = 1; node < instance.size; ++node)
    instance.demand.push_back(draw_node(random, index, static_cast<std::uint32_t>(node)).demand);
}

/// The times of all nodes, the depot's first.
void set_drawn_times(std::span<const StopTimes> rows, Instance& instance) {
  for (const StopTimes& times : rows) {
    instance.windows.push_back({times.opens * kDrawnTick, times.closes * kDrawnTick});
    instance.service.push_back(times.service * kDrawnTick);
  }
}

void draw_uniform_windows(const Random& random, std::uint64_t index, Instance& instance) {
  const TickRule rule{.per_cost = 1 / kDrawnTick, .whole = false};
  std::vector<StopTimes> rows{{0, kDrawnDayTicks, 0}};
  for (int node = 1; node < instance.size; ++node) {
    const std::int32_t travel = travel_ticks(rule, instance.distance(instance.depot, node));
    rows.push_back(draw_times(random, index, static_cast<std::uint32_t>(node), travel));
  }
  set_drawn_times(rows, instance);
  instance.windows[0].closes = kDrawnDay;  // which is no whole number of ticks
}

const char* layout_name(NodeLayout layout) {
  switch (layout) {
    case NodeLayout::clusters:
      return "clusters";
    case NodeLayout::stretched:
      return "stretched";
    case NodeLayout::stretched_clusters:
      return "stretched-clusters";
    case NodeLayout::lattice:
      return "lattice";
    case NodeLayout::pattern:
      break;
  }
  return "pattern";
}

}  // namespace

void require_memory_to_generate(ProblemKind kind, int customers, int count, double copies, double limit) {
  require_memory(count * instance_bytes(kind, customers, copies), limit,
                 fmt::format("{} instances of size {}", count, customers));
}

Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index, double capacity) {
  Instance instance = sized_instance(kind, customers);
  instance.name = fmt::format("{}{}-{}-{}", problem_name(kind), customers, seed, index);
  const Random random{seed};
  for (int node = 0; node < instance.size; ++node) {
    const NodeDraw draw = draw_node(random, index, static_cast<std::uint32_t>(node));
    instance.coordinates.push_back({draw.x, draw.y});
  }
  switch (kind) {
    case ProblemKind::tsp:
      break;
    case ProblemKind::cvrp:
      draw_uniform_demands(random, index, capacity, instance);
      break;
    case ProblemKind::vrptw:
      draw_uniform_demands(random, index, capacity, instance);
      draw_uniform_windows(random, index, instance);
      break;
  }
  return instance;
}

Instance generate_shaped(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index) {
  Instance instance = sized_instance(kind, customers);
  const int depots = traits(kind).depots ? usual_depots(kind, customers) : 0;
  const auto rows = static_cast<std::size_t>(depots + customers);
  std::vector<float> x(rows), y(rows), demand(rows);
  std::vector<StopTimes> times(rows);
  const ShapedWords words{Random{seed}, index};
  const ShapedTraits shape = draw_traits(words, customers);
  instance.name = fmt::format("{}{}-{}-{}-{}", problem_name(kind), customers, layout_name(shape.layout), seed, index);
  instance.capacity = write_shaped_instance(SerialLanes{}, words,
                                            ShapedView{.depots = depots,
                                                       .customers = customers,
                                                       .x = x.data(),
                                                       .y = y.data(),
                                                       .demand = traits(kind).demands ? demand.data() : nullptr,
                                                       .times = traits(kind).windows ? times.data() : nullptr});

  // The rows have a copy of the depot for each route; the instance has the last of them.
  const auto first = static_cast<std::size_t>(std::max(depots - 1, 0));
  for (std::size_t row = first; row < rows; ++row) instance.coordinates.push_back({x[row], y[row]});
  if (traits(kind).windows) set_drawn_times(std::span(times).subspan(first), instance);
  if (!traits(kind).demands) return instance;
  instance.demand.push_back(0);
  for (int customer = 0; customer < customers; ++customer)
    instance.demand.push_back(draw_demand(words, shape, static_cast<std::uint32_t>(customer)));
  return instance;
}

}  // namespace neuopt
