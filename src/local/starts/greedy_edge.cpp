#include "local/starts/greedy_edge.h"

#include "env/host_instance.h"
#include "local/starts/fragments.h"

namespace neuopt::local {

Solution greedy_edge(const SearchInstance& instance, const Neighbours& neighbours) {
  const env::InstanceView view = env::view_of(instance, {}, {});
  Fragments fragments(0, instance.size(), {});
  join_by_rank(
      instance, neighbours, fragments, [&](int a, int b) { return env::edge_cost(view, a, b); },
      [](int, int) { return true; });
  return Solution{fragments.paths()};  // one path: its ends are joined by the tour's last edge
}

}  // namespace neuopt::local
