// The search's view of an instance, with the arrays behind it, in the memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "env/problems/problems.h"
#include "problem/start.h"

namespace neuopt::env {

/// The nodes of an instance as bytes of its problem's Node, one after the other.
inline std::vector<std::byte> node_table(const SearchInstance& instance) {
  return for_problem(instance.kind, [&](auto problem) {
    using Node = typename decltype(problem)::Node;
    std::vector<std::byte> table(static_cast<std::size_t>(instance.size()) * kStoredBytes<Node>);
    if constexpr (kStoredBytes < Node >> 0)
      for (int i = 0; i < instance.size(); ++i) {
        const Node node = problem.node(instance, i);
        std::memcpy(table.data() + static_cast<std::size_t>(i) * sizeof(Node), &node, sizeof(Node));
      }
    return table;
  });
}

/// Points into the instance, its file and the table, which must outlive the view.
inline InstanceView view_of(const SearchInstance& instance, const std::vector<std::byte>& nodes,
                            const GireParameters& gire) {
  const bool by_matrix = !instance.matrix.empty();
  return {.nodes = instance.size(),
          .depots = instance.depots,
          .x = instance.x.data(),
          .y = instance.y.data(),
          .node = nodes.empty() ? nullptr : nodes.data(),
          .matrix = by_matrix ? instance.matrix.data() : nullptr,
          .place = by_matrix || instance.file != nullptr ? instance.node_of.data() : nullptr,
          .places = instance.nodes,
          .epsilon = for_problem(instance.kind, [&](auto problem) { return problem.epsilon(instance, gire); }),
          .ticks = instance.ticks,
          .tick_length = instance.tick_length,
          .fixed = instance.fixed.empty() ? nullptr : instance.fixed.data(),
          .file = instance.file,
          .cost_scale = instance.cost_scale};
}

inline kopt::FixedEdges fixed_edges(const SearchInstance& instance) {
  return {instance.fixed.empty() ? nullptr : instance.fixed.data(), instance.depots};
}

/// The start of the paper's protocol: the tour of the problem's write_start, drawn for (seed, instance, copy), with the
/// fixed edges.
inline std::vector<int> standard_start(const SearchInstance& instance, const Random& random, std::uint32_t instance_id,
                                       std::uint32_t copy_id) {
  const std::vector<std::byte> nodes = node_table(instance);
  const InstanceView view = view_of(instance, nodes, GireParameters{});
  std::vector<int> order(static_cast<std::size_t>(instance.size())), scratch(order.size());
  for_problem(instance.kind, [&](auto problem) {
    problem.write_start(SerialLanes{}, view, random, instance_id, copy_id, order.data(), scratch.data());
  });
  return with_fixed_edges(instance, std::move(order));
}

}  // namespace neuopt::env
