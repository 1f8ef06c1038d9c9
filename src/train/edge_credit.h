// Which steps of a rollout made an improvement: those whose edges are still there when it comes, or still gone. Pure
// functions of tensors on any device.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace neuopt::train {

/// Shares every improvement out among the steps that led to it. orders: (h + 1, R, N) int32, the tours of R searches
/// before the first step and after each; the nodes below `depots` are copies of one depot. improvements: (h, R), 0 for
/// none. Result: (h, R), whose sum over the steps is that of the improvements.
///
/// What counts is the net change since the search was last new: since the first tour or the last improvement. A step
/// has a share for each edge that it was the last to add and that the change added, and for each edge that it was the
/// last to remove and that the change removed. Edges are seen from both of their customers, so those at a depot count
/// half; a customer between two depots has two edges that come and go as one. A step whose changes were all undone
/// before the improvement has no share in it. An improvement without any new edge is its own step's.
torch::Tensor edge_credit(const torch::Tensor& orders, const torch::Tensor& improvements, std::int64_t depots);

}  // namespace neuopt::train
