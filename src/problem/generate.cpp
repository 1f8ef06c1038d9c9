#include "problem/generate.h"

#include <fmt/format.h>

#include "core/error.h"
#include "problem/generate_draw.h"
#include "problem/size_rules.h"

namespace neuopt {

Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index, double capacity) {
  const bool cvrp = kind == ProblemKind::cvrp;
  if (customers < 1) throw InputError(fmt::format("size {}: expected at least 1", customers));
  if (cvrp && capacity == 0) capacity = uniform_capacity(customers);
  if (cvrp && !(capacity >= kMaxUniformDemand))
    throw InputError(fmt::format("capacity {}: expected at least {}, the largest demand", capacity, kMaxUniformDemand));

  Instance instance;
  instance.kind = kind;
  instance.name = fmt::format("{}{}-{}-{}", cvrp ? "cvrp" : "tsp", customers, seed, index);
  instance.size = cvrp ? customers + 1 : customers;
  instance.capacity = cvrp ? capacity : 0;
  const Random random{seed};
  for (int node = 0; node < instance.size; ++node) {
    const NodeDraw draw = draw_node(random, index, static_cast<std::uint32_t>(node));
    instance.coordinates.push_back({draw.x, draw.y});
    if (cvrp) instance.demand.push_back(node == 0 ? 0 : draw.demand);
  }
  return instance;
}

}  // namespace neuopt
