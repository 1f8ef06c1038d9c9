#include "local/starts/savings.h"

#include "env/host_instance.h"
#include "local/starts/fragments.h"
#include "problem/packing.h"
#include "problem/start.h"

namespace neuopt::local {

std::optional<Solution> savings(const SearchInstance& instance, const Neighbours& neighbours, const Until& until) {
  constexpr double kNothing = 1e-9;  // a loss by rounding only
  const env::InstanceView view = env::view_of(instance, {}, {});
  Fragments fragments(instance.depots, instance.customers(), instance.demand);
  const auto loss = [&](int a, int b) {
    return env::edge_cost(view, a, b) - (env::edge_cost(view, 0, a) + env::edge_cost(view, 0, b));
  };
  const bool joined = join_by_rank(instance, neighbours, fragments, until, loss, [&](int a, int b) {
    return loss(a, b) <= kNothing && fragments.load(a) + fragments.load(b) <= static_cast<double>(kLoadLimit);
  });
  if (!joined) return std::nullopt;
  return solution_of(instance, fragments.paths());
}

}  // namespace neuopt::local
