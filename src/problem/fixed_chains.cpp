#include "problem/fixed_chains.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace neuopt {

std::string FixedChains::add(int a, int b) {
  const auto at = [](int node) { return static_cast<std::size_t>(node); };
  if (a == b) return fmt::format("a fixed edge joins node {} to itself", a + first_node_);
  if (partners_[2 * at(a)] == b || partners_[2 * at(a) + 1] == b)
    return fmt::format("the edge of nodes {} and {} is fixed twice", a + first_node_, b + first_node_);
  for (const int node : {a, b})
    if (is_inner(node)) return fmt::format("node {} has three fixed edges, expected two at most", node + first_node_);
  if (other_end_[at(a)] == b)
    return fmt::format("the fixed edge of nodes {} and {} closes a cycle, expected chains", a + first_node_,
                       b + first_node_);
  for (const auto& [node, other] : {std::pair(a, b), std::pair(b, a)})
    partners_[2 * at(node) + (partners_[2 * at(node)] < 0 ? 0 : 1)] = other;
  const int first = other_end_[at(a)], last = other_end_[at(b)];
  other_end_[at(first)] = last;
  other_end_[at(last)] = first;
  return "";
}

}  // namespace neuopt
