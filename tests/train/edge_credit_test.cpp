// Credit of the steps that made an improvement, against a slow computation with sets of edges.
#include "train/edge_credit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace neuopt::train {
namespace {

using Order = std::vector<std::int32_t>;
using Edge = std::pair<int, int>;  // a customer and its neighbour; a depot is 0

std::multiset<Edge> edges_of(const Order& order, int depots) {
  std::multiset<Edge> edges;
  const std::size_t nodes = order.size();
  for (std::size_t i = 0; i < nodes; ++i)
    for (const int other : {order[(i + 1) % nodes], order[(i + nodes - 1) % nodes]})
      if (order[i] >= depots) edges.insert({order[i], other < depots ? 0 : other});
  return edges;
}

std::vector<Edge> difference(const std::multiset<Edge>& from, const std::multiset<Edge>& without) {
  std::vector<Edge> rest;
  std::copy_if(from.begin(), from.end(), std::back_inserter(rest),
               [&](const Edge& edge) { return !without.contains(edge); });
  return rest;
}

/// Of one search.
std::vector<double> slow_credit(const std::vector<Order>& orders, const std::vector<float>& improvements, int depots) {
  std::vector<double> credit(improvements.size(), 0.0);
  std::multiset<Edge> reference = edges_of(orders[0], depots), before = reference;
  std::map<Edge, std::size_t> added, removed;  // last by
  for (std::size_t step = 0; step < improvements.size(); ++step) {
    const std::multiset<Edge> now = edges_of(orders[step + 1], depots);
    for (const Edge& edge : difference(now, before)) added[edge] = step;
    for (const Edge& edge : difference(before, now)) removed[edge] = step;
    before = now;
    if (improvements[step] == 0) continue;
    std::vector<std::size_t> makers;
    for (const Edge& edge : difference(now, reference)) makers.push_back(added.at(edge));
    for (const Edge& edge : difference(reference, now)) makers.push_back(removed.at(edge));
    if (makers.empty()) makers.push_back(step);
    for (const std::size_t maker : makers) credit[maker] += improvements[step] / static_cast<double>(makers.size());
    reference = now;
  }
  return credit;
}

torch::Tensor to_tensor(const std::vector<std::vector<Order>>& searches) {
  const auto steps = static_cast<std::int64_t>(searches[0].size()),
             nodes = static_cast<std::int64_t>(searches[0][0].size());
  torch::Tensor orders = torch::empty({steps, static_cast<std::int64_t>(searches.size()), nodes}, torch::kInt32);
  for (std::int64_t search = 0; search < orders.size(1); ++search)
    for (std::int64_t step = 0; step < steps; ++step)
      orders[step][search].copy_(torch::tensor(searches[search][step], torch::kInt32));
  return orders;
}

TEST(EdgeCreditTest, AStepThatWasUndoneHasNoShare) {
  // Step 0 turns 1 2 around, step 1 turns them back, step 2 turns 3 4, step 3 turns 5 6, which improves.
  const std::vector<Order> tour = {{0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 2, 1, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 4, 3, 5, 6, 7},
                                   {0, 1, 2, 4, 3, 6, 5, 7}};
  const torch::Tensor improvements = torch::tensor({0.0f, 0.0f, 0.0f, 2.0f}).view({4, 1});
  const torch::Tensor credit = edge_credit(to_tensor({tour}), improvements, 0).view(-1);
  EXPECT_EQ(credit[0].item<float>(), 0);
  EXPECT_EQ(credit[1].item<float>(), 0);
  // In all 2-3, 4-5 and 6-7 went, 2-4, 3-6 and 5-7 came. Step 2 made 2-3, 4-5 and 2-4, step 3 the other three.
  EXPECT_NEAR(credit[2].item<float>(), 1, 1e-6);
  EXPECT_NEAR(credit[3].item<float>(), 1, 1e-6);
}

TEST(EdgeCreditTest, FollowsTheDefinitionOnRandomTours) {
  std::mt19937 random(1);
  constexpr int kSearches = 40, kSteps = 25;
  for (const int depots : {0, 1, 4}) {
    std::vector<std::vector<Order>> searches;
    std::vector<std::vector<float>> improvements;
    for (int search = 0; search < kSearches; ++search) {
      Order order(depots + 7);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      std::vector<Order> orders{order};
      std::vector<float> gains;
      for (int step = 0; step < kSteps; ++step) {
        const auto at = [&] { return static_cast<std::ptrdiff_t>(random() % order.size()); };
        const auto [first, last] = std::minmax({at(), at()});
        if (random() % 4 > 0) std::reverse(order.begin() + first, order.begin() + last + 1);
        if (random() % 5 == 0) std::rotate(order.begin(), order.begin() + at(), order.end());
        orders.push_back(order);
        gains.push_back(random() % 6 == 0 ? static_cast<float>(1 + random() % 3) : 0.0f);
      }
      searches.push_back(orders);
      improvements.push_back(gains);
    }
    torch::Tensor gains = torch::empty({kSteps, kSearches});
    for (int search = 0; search < kSearches; ++search)
      gains.select(1, search).copy_(torch::tensor(improvements[search]));
    const torch::Tensor credit = edge_credit(to_tensor(searches), gains, depots);
    EXPECT_TRUE(credit.sum(0).allclose(gains.sum(0))) << depots;
    for (int search = 0; search < kSearches; ++search) {
      const std::vector<double> expected = slow_credit(searches[search], improvements[search], depots);
      for (int step = 0; step < kSteps; ++step)
        ASSERT_NEAR(credit[step][search].item<float>(), expected[step], 1e-5) << depots << " " << search << " " << step;
    }
  }
}

}  // namespace
}  // namespace neuopt::train
