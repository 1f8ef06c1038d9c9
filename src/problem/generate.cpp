#include "problem/generate.h"

#include <fmt/format.h>

#include "core/error.h"
#include "problem/generate_draw.h"
#include "problem/shaped_instance.h"
#include "problem/size_rules.h"

namespace neuopt {
namespace {

/// An instance that has a size but no nodes yet.
Instance sized_instance(ProblemKind kind, int customers) {
  if (customers < 1) throw InputError(fmt::format("size {}: expected at least 1", customers));
  Instance instance;
  instance.kind = kind;
  instance.size = kind == ProblemKind::cvrp ? customers + 1 : customers;
  return instance;
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

Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index, double capacity) {
  const bool cvrp = kind == ProblemKind::cvrp;
  Instance instance = sized_instance(kind, customers);
  if (cvrp && capacity == 0) capacity = uniform_capacity(customers);
  if (cvrp && !(capacity >= kMaxUniformDemand))
    throw InputError(fmt::format("capacity {}: expected at least {}, the largest demand", capacity, kMaxUniformDemand));

  instance.name = fmt::format("{}{}-{}-{}", problem_name(kind), customers, seed, index);
  instance.capacity = cvrp ? capacity : 0;
  const Random random{seed};
  for (int node = 0; node < instance.size; ++node) {
    const NodeDraw draw = draw_node(random, index, static_cast<std::uint32_t>(node));
    instance.coordinates.push_back({draw.x, draw.y});
    if (cvrp) instance.demand.push_back(node == 0 ? 0 : draw.demand);
  }
  return instance;
}

Instance generate_shaped(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index) {
  Instance instance = sized_instance(kind, customers);
  const int depots = kind == ProblemKind::cvrp ? usual_depots(customers) : 0;
  const auto rows = static_cast<std::size_t>(depots + customers);
  std::vector<float> x(rows), y(rows), demand(rows);
  const ShapedWords words{Random{seed}, index};
  const ShapedTraits traits = draw_traits(words, customers);
  instance.name = fmt::format("{}{}-{}-{}-{}", problem_name(kind), customers, layout_name(traits.layout), seed, index);
  instance.capacity =
      write_shaped_instance(SerialLanes{}, words, ShapedView{depots, customers, x.data(), y.data(), demand.data()});

  // The rows have a copy of the depot for each route; the instance has the last of them.
  for (auto row = static_cast<std::size_t>(depots > 0 ? depots - 1 : 0); row < rows; ++row)
    instance.coordinates.push_back({x[row], y[row]});
  if (kind == ProblemKind::tsp) return instance;
  instance.demand.push_back(0);
  for (int customer = 0; customer < customers; ++customer)
    instance.demand.push_back(draw_demand(words, traits, static_cast<std::uint32_t>(customer)));
  return instance;
}

}  // namespace neuopt
