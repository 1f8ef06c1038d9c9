#include "problem/search_instance.h"

namespace neuopt {

void SearchInstance::fix_edge(int a, int b) {
  if (fixed.empty()) fixed.assign(2 * node_of.size(), -1);
  for (const auto& [node, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (is_depot(node)) continue;
    const std::size_t at = 2 * static_cast<std::size_t>(node);
    fixed[at + (fixed[at] < 0 ? 0 : 1)] = other;
  }
}

double tour_cost(const SearchInstance& instance, std::span<const int> order) {
  double cost = 0;
  for (std::size_t position = 0; position < order.size(); ++position)
    cost += instance.edge_cost(order[position], order[position + 1 < order.size() ? position + 1 : 0]);
  return cost;
}

}  // namespace neuopt
