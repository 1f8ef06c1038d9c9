#include "local/starts/greedy_edge.h"

#include "env/host_instance.h"
#include "local/starts/fragments.h"

namespace neuopt::local {

std::optional<Solution> greedy_edge(const SearchInstance& instance, const Neighbours& neighbours, const Until& until) {
  const env::InstanceView view = env::view_of(instance, {}, {});
  Fragments fragments(0, instance.size(), {});
  for (int i = 0; i < static_cast<int>(instance.fixed.size()); ++i)
    if (const int node = i / 2; node < instance.fixed[i]) fragments.join(node, instance.fixed[i]);
  const bool joined = join_by_rank(
      instance, neighbours, fragments, until, [&](int a, int b) { return env::edge_cost(view, a, b); },
      [](int, int) { return true; });
  if (!joined) return std::nullopt;
  return Solution{fragments.paths()};  // one path: its ends are joined by the tour's last edge
}

}  // namespace neuopt::local
