// Local search of a long tour around some of its nodes.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/until.h"
#include "env/host_instance.h"
#include "local/local_search.h"

namespace neuopt::search {

/// Improves the tour in `order`, which comes back as the search wants it, until it is over.
template <class Problem>
void improve_around(const SearchInstance& whole, const local::Neighbours& neighbours, std::vector<int>& order,
                    std::span<const int> around, const Until& until) {
  using Search = local::LocalSearch<Problem>;
  const std::vector<std::byte> nodes = env::node_table(whole);
  const local::LocalTask task{env::view_of(whole, nodes, {}), neighbours.view(), {}};
  std::vector<double> workspace(Search::bytes(whole.size()) / sizeof(double) + 1);
  Search search = Search::start(SerialLanes{}, task, order.data(), workspace.data());
  for (const int node : around)
    if (!whole.is_depot(node)) search.queue.push(node);
  auto journal = typename Search::NoJournal{};
  int moves_left = std::numeric_limits<int>::max();
  search.improve(SerialLanes{}, journal, moves_left, GoOn(until));
  search.write(SerialLanes{}, order.data());
}

}  // namespace neuopt::search
