// Local search of a long tour around some of its nodes, in slices, so that it can be ended at any time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "env/host_instance.h"
#include "local/local_search.h"

namespace neuopt::search {

/// Improves the tour in `order`, which comes back as the search wants it, for as long as `go_on` says.
template <class Problem>
void improve_around(const SearchInstance& whole, const local::Neighbours& neighbours, std::vector<int>& order,
                    std::span<const int> around, const std::function<bool()>& go_on) {
  constexpr int kSlice = 1000;  // moves between two questions
  using Search = local::LocalSearch<Problem>;
  const std::vector<std::byte> nodes = env::node_table(whole);
  const local::LocalTask task{env::view_of(whole, nodes, {}), neighbours.view(), {}};
  std::vector<double> workspace(Search::bytes(whole.size()) / sizeof(double) + 1);
  Search search = Search::start(SerialLanes{}, task, order.data(), workspace.data());
  for (const int node : around)
    if (!whole.is_depot(node)) search.queue.push(node);
  auto journal = typename Search::NoJournal{};
  int moves_left = 0;
  while (moves_left == 0 && go_on()) {
    moves_left = kSlice;
    search.improve(SerialLanes{}, journal, moves_left);
  }
  search.write(SerialLanes{}, order.data());
}

}  // namespace neuopt::search
