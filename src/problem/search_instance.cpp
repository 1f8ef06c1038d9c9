#include "problem/search_instance.h"

namespace neuopt {

double tour_cost(const SearchInstance& instance, std::span<const int> order) {
  double cost = 0;
  for (std::size_t position = 0; position < order.size(); ++position)
    cost += instance.edge_cost(order[position], order[position + 1 < order.size() ? position + 1 : 0]);
  return cost;
}

}  // namespace neuopt
