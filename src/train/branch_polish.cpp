#include "train/branch_polish.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/numbers.h"
#include "core/parallel.h"
#include "local/polish.h"
#include "train/cuda/launch.h"
#include "train/device.h"
#include "train/host_tensor.h"

namespace neuopt::train {
namespace {

/// Smaller gains are rounding: costs of states are kept in single precision.
constexpr double kLeastReward = 1e-5;

void polish_on_host(const EnvironmentOptions& options, const local::PolishBatch& batch) {
  env::for_problem(options.kind, [&](auto problem) {
    using Problem = decltype(problem);
    const int threads = resolve_threads(options.threads);
    const std::size_t bytes = local::polish_bytes<Problem>(batch.nodes);
    std::vector<std::vector<double>> workspaces(static_cast<std::size_t>(threads),
                                                std::vector<double>(bytes / sizeof(double) + 1));
    parallel_for(batch.copies, threads, [&](int row, int worker) {
      local::polish_copy<Problem>(SerialLanes{}, batch, batch.instances[row], row,
                                  workspaces[static_cast<std::size_t>(worker)].data());
    });
  });
}

}  // namespace

BranchPolish::BranchPolish(const BatchEnvironment& branches, int group)
    : group_(group), depots_(branches.options().depots) {
  const EnvironmentOptions& options = branches.options();
  const auto index = torch::dtype(torch::kInt32).device(options.device);
  const auto real = torch::dtype(torch::kFloat64).device(options.device);
  const std::int64_t rows = options.batch, searches = rows / group_;
  const int count = std::min(local::kUsualNeighbours, options.customers - 1);
  lists_ = torch::zeros({searches, options.customers, count}, index);
  order_ = torch::zeros({rows, options.nodes()}, index);
  cost_ = torch::zeros({rows}, real);
  known_ = torch::zeros({searches, 1}, real);
  std::vector<local::NeighbourView> views;
  for (std::int64_t row = 0; row < rows; ++row)
    views.push_back({.lists = lists_.data_ptr<std::int32_t>() + row / group_ * options.customers * count,
                     .count = count,
                     .depots = depots_});
  views_ = bytes_of(views, options.device);
  if constexpr (cuda_built())
    if (options.device.is_cuda())
      workspace_ =
          torch::empty({static_cast<std::int64_t>(cuda::polish_bytes(options.kind, options.batch, options.nodes()))},
                       torch::dtype(torch::kUInt8).device(options.device));
}

void BranchPolish::begin_batch(const BatchEnvironment& branches) {
  const torch::NoGradGuard no_grad;
  const std::int64_t searches = known_.size(0);
  const torch::Tensor places = branches.places();
  find_neighbours(places.view({searches, group_, places.size(1), 2}).select(1, 0));
  known_.fill_(kInfinity);
  known_.copy_(look(branches).narrow(1, 0, 1));
}

/// By distance alone, also with time windows.
void BranchPolish::find_neighbours(const torch::Tensor& places) {
  const torch::Tensor customers = places.narrow(1, depots_, lists_.size(1)).contiguous();
  torch::Tensor distance = torch::cdist(customers, customers);
  distance.diagonal(0, 1, 2).fill_(kInfinity);
  const torch::Tensor nearest = std::get<1>(distance.topk(lists_.size(2), 2, /*largest=*/false));
  lists_.copy_(nearest + depots_);
}

void BranchPolish::reward_ends(const BatchEnvironment& branches, const torch::Tensor& rewards) {
  const torch::Tensor found = look(branches), gain = known_ - found;
  rewards.select(2, 0).zero_();
  rewards.select(0, rewards.size(0) - 1)
      .select(1, 0)
      .copy_(torch::where(gain > kLeastReward, gain, torch::zeros_like(gain)).view(-1));
  known_.copy_(found.narrow(1, 0, 1));
}

/// (B, G): what is known after a polish of each branch.
torch::Tensor BranchPolish::look(const BatchEnvironment& branches) {
  const torch::Tensor best = branches.best_costs().to(torch::kFloat64).view({-1, group_});
  cost_.copy_(torch::minimum(known_, best).view(-1));
  const env::SearchBatch searches = branches.searches();
  const local::PolishBatch batch{
      .copies = searches.copies,
      .nodes = searches.nodes,
      .instances = searches.instances,
      .neighbours = reinterpret_cast<const local::NeighbourView*>(views_.data_ptr<std::uint8_t>()),
      .rules = local::polish_rules(),
      .order = searches.order,
      .best_order = order_.data_ptr<std::int32_t>(),
      .best_cost = cost_.data_ptr<double>()};
  if (!branches.options().device.is_cuda())
    polish_on_host(branches.options(), batch);
  else if constexpr (cuda_built())
    cuda::polish(branches.options().kind, batch, workspace_.data_ptr<std::uint8_t>(), current_stream());
  return cost_.view({-1, group_});
}

}  // namespace neuopt::train
