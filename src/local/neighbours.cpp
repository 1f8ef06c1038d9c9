#include "local/neighbours.h"

#include <algorithm>
#include <nanoflann.hpp>
#include <numeric>
#include <utility>

#include "env/host_instance.h"

namespace neuopt::local {
namespace {

constexpr std::size_t kAllPairsUpTo = 1000;  // nodes
constexpr std::size_t kSpareCandidates = 8;  // that the tree returns besides, so that equals are ordered by index

using Ranked = std::pair<double, int>;  // cost and node: the order of a list

/// The places of some nodes, as the tree wants to read them.
struct Places {
  const SearchInstance& instance;
  std::span<const int> nodes;

  std::size_t kdtree_get_point_count() const { return nodes.size(); }
  float kdtree_get_pt(std::size_t at, std::size_t axis) const {
    const auto node = static_cast<std::size_t>(nodes[at]);
    return axis == 0 ? instance.x[node] : instance.y[node];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Places, double>, Places, 2>;

void keep_nearest(std::vector<Ranked>& ranked, std::size_t count) {
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
  ranked.resize(count);
}

/// Calls list(i, ranked) with the neighbours of subset[i], in order.
template <class List>
void for_each_list(const SearchInstance& instance, std::span<const int> subset, std::size_t count, List&& list) {
  const env::InstanceView view = env::view_of(instance, {}, {});
  std::vector<Ranked> ranked;
  if (!instance.matrix.empty() || subset.size() <= kAllPairsUpTo) {
    for (std::size_t i = 0; i < subset.size(); ++i) {
      ranked.clear();
      for (const int other : subset)
        if (other != subset[i]) ranked.emplace_back(env::edge_cost(view, subset[i], other), other);
      keep_nearest(ranked, count);
      list(i, ranked);
    }
    return;
  }
  const Places places{instance, subset};
  const Tree tree(2, places, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  const std::size_t wanted = std::min(subset.size(), count + 1 + kSpareCandidates);
  std::vector<unsigned> found(wanted);
  std::vector<double> squares(wanted);
  for (std::size_t i = 0; i < subset.size(); ++i) {
    const auto node = static_cast<std::size_t>(subset[i]);
    const float place[2] = {instance.x[node], instance.y[node]};
    const std::size_t hits = tree.knnSearch(place, wanted, found.data(), squares.data());
    ranked.clear();
    for (std::size_t hit = 0; hit < hits; ++hit)
      if (const int other = subset[found[hit]]; other != subset[i])
        ranked.emplace_back(env::edge_cost(view, subset[i], other), other);
    keep_nearest(ranked, count);
    list(i, ranked);
  }
}

}  // namespace

Neighbours find_neighbours(const SearchInstance& instance, int count) {
  std::vector<int> customers(static_cast<std::size_t>(instance.customers()));
  std::iota(customers.begin(), customers.end(), instance.depots);
  Neighbours neighbours;
  neighbours.depots = instance.depots;
  neighbours.count = std::max(0, std::min(count, instance.customers() - 1));
  neighbours.lists.reserve(customers.size() * static_cast<std::size_t>(neighbours.count));
  for_each_list(instance, customers, static_cast<std::size_t>(neighbours.count),
                [&](std::size_t, const std::vector<Ranked>& ranked) {
                  for (const Ranked& entry : ranked) neighbours.lists.push_back(entry.second);
                });
  return neighbours;
}

std::vector<std::vector<int>> neighbours_among(const SearchInstance& instance, std::span<const int> subset, int count) {
  std::vector<std::vector<int>> lists(subset.size());
  for_each_list(instance, subset, static_cast<std::size_t>(count),
                [&](std::size_t i, const std::vector<Ranked>& ranked) {
                  for (const Ranked& entry : ranked) lists[i].push_back(entry.second);
                });
  return lists;
}

}  // namespace neuopt::local
