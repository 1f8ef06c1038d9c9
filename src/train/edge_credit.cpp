#include "train/edge_credit.h"

namespace neuopt::train {
namespace {

/// The two neighbours of every customer in a tour, (R, C, 2); a depot is 0.
torch::Tensor neighbours_in(const torch::Tensor& order, std::int64_t depots) {
  const torch::Tensor nodes = order.to(torch::kInt64);
  torch::Tensor result = torch::empty({nodes.size(0), nodes.size(1), 2}, order.options());
  for (const int side : {0, 1}) {
    const torch::Tensor neighbour = order.roll(side == 0 ? 1 : -1, 1);
    result.select(2, side).scatter_(1, nodes, neighbour.masked_fill(neighbour < depots, 0));
  }
  return result.narrow(1, depots, nodes.size(1) - depots);
}

/// Whether each edge is one of the other two of its customer.
torch::Tensor among(const torch::Tensor& edges, const torch::Tensor& others) {
  return edges.eq(others.narrow(2, 0, 1)).logical_or(edges.eq(others.narrow(2, 1, 1)));
}

/// The edges of R searches as they change.
class EdgeHistory {
 public:
  EdgeHistory(const torch::Tensor& order, std::int64_t depots)
      : depots_(depots),
        now_(neighbours_in(order, depots)),
        added_(torch::zeros_like(now_)),
        reference_(now_),
        removed_(torch::zeros_like(now_)),
        present_(torch::ones_like(now_, torch::kBool)) {}

  void step(int number, const torch::Tensor& order) {
    const torch::Tensor next = neighbours_in(order, depots_);
    // An edge that was there keeps its mark, on whichever side of the customer it lies now.
    const torch::Tensor turned = next.eq(now_.flip({2}));
    added_ =
        torch::where(next.eq(now_), added_, torch::where(turned, added_.flip({2}), torch::full_like(added_, number)));
    const torch::Tensor present = among(reference_, next);
    removed_ = torch::where(present_.logical_and(present.logical_not()), torch::full_like(removed_, number), removed_);
    now_ = next;
    present_ = present;
  }

  /// (R, steps): how many edges of the change since the reference each step has made.
  torch::Tensor makers(std::int64_t steps) const {
    const torch::Tensor fresh = among(now_, reference_).logical_not(), gone = present_.logical_not();
    const torch::Tensor counted = torch::cat({fresh, gone}, 1).flatten(1).to(torch::kFloat32);
    const torch::Tensor by = torch::cat({added_, removed_}, 1).flatten(1).to(torch::kInt64);
    return torch::zeros({now_.size(0), steps}, counted.options()).scatter_add_(1, by, counted);
  }

  /// The searches in `which` (R) are new now.
  void renew(const torch::Tensor& which) {
    const torch::Tensor rows = which.view({-1, 1, 1});
    reference_ = torch::where(rows, now_, reference_);
    present_ = present_.logical_or(rows);
  }

 private:
  std::int64_t depots_;
  torch::Tensor now_, added_;  // (R, C, 2): neighbours, and the steps that made them so
  torch::Tensor reference_, removed_,
      present_;  // the same of the tour that counts as old: last removed by; still there
};

}  // namespace

torch::Tensor edge_credit(const torch::Tensor& orders, const torch::Tensor& improvements, std::int64_t depots) {
  const torch::NoGradGuard no_grad;
  const std::int64_t steps = improvements.size(0);
  EdgeHistory history(orders[0], depots);
  torch::Tensor credit = torch::zeros({improvements.size(1), steps}, improvements.options());
  for (int step = 0; step < steps; ++step) {
    history.step(step, orders[step + 1]);
    const torch::Tensor improved = improvements[step] != 0;
    const torch::Tensor makers = history.makers(steps);
    makers.select(1, step).add_(makers.sum(1).eq(0));  // as when a route is driven the other way
    credit.addcmul_(makers, (improvements[step] / makers.sum(1)).unsqueeze(1));
    history.renew(improved);
  }
  return credit.t().contiguous();
}

}  // namespace neuopt::train
