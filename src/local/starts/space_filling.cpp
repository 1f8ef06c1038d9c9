#include "local/starts/space_filling.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "problem/start.h"

namespace neuopt::local {
namespace {

constexpr std::uint32_t kSide = 1u << 16;  // of the grid whose cells the curve visits

std::uint32_t cell(float coordinate) {
  const float scaled = std::clamp(coordinate, 0.0f, 1.0f) * static_cast<float>(kSide);
  return std::min(static_cast<std::uint32_t>(scaled), kSide - 1);
}

/// Distance along the curve from the corner where it begins. Each level of the curve is four copies of the next, the
/// first and the last turned.
std::uint64_t distance_along(std::uint32_t x, std::uint32_t y) {
  std::uint64_t distance = 0;
  for (std::uint32_t side = kSide / 2; side > 0; side /= 2) {
    const bool right = (x & side) != 0, upper = (y & side) != 0;
    const std::uint64_t quarter = upper ? (right ? 2 : 1) : (right ? 3 : 0);
    distance += quarter * side * side;
    x &= side - 1;
    y &= side - 1;
    if (upper) continue;
    if (right) {
      x = side - 1 - x;
      y = side - 1 - y;
    }
    std::swap(x, y);
  }
  return distance;
}

}  // namespace

Solution space_filling(const SearchInstance& instance) {
  std::vector<std::pair<std::uint64_t, int>> along;
  along.reserve(static_cast<std::size_t>(instance.customers()));
  for (int node = instance.depots; node < instance.size(); ++node)
    along.emplace_back(distance_along(cell(instance.x[node]), cell(instance.y[node])), node);
  std::sort(along.begin(), along.end());
  std::vector<int> order;
  order.reserve(along.size());
  for (const auto& [distance, node] : along) order.push_back(node);
  return solution_of(instance, cut_to_fit(instance, with_fixed_edges(instance, std::move(order))));
}

}  // namespace neuopt::local
