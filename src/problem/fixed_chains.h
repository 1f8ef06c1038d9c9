// The chains that fixed edges form, edge by edge, and what makes an edge one that no tour can have beside the others.
#pragma once

#include <numeric>
#include <string>
#include <vector>

namespace neuopt {

class FixedChains {
 public:
  /// Messages count nodes from `first_node`.
  explicit FixedChains(int nodes, int first_node = 1)
      : first_node_(first_node),
        partners_(2 * static_cast<std::size_t>(nodes), -1),
        other_end_(static_cast<std::size_t>(nodes)) {
    std::iota(other_end_.begin(), other_end_.end(), 0);
  }

  /// Adds an edge between two nodes, which must be in range. Returns what is wrong with it, and leaves it out then; ""
  /// when nothing is.
  std::string add(int a, int b);

 private:
  bool is_inner(int node) const { return partners_[2 * static_cast<std::size_t>(node) + 1] >= 0; }

  int first_node_;
  std::vector<int> partners_;   // (nodes, 2) the other ends of a node's edges, -1: none
  std::vector<int> other_end_;  // of the chain that ends at a node; of inner nodes nothing is said
};

}  // namespace neuopt
