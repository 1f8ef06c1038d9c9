#include "train/search_pool.h"

namespace neuopt::train {
namespace {

/// Rivals draw apart from all other searches (streams 0 to 3).
constexpr std::uint32_t kPoolStream = 4;

EnvironmentOptions options_for(const SizeContext& context, int batch) {
  EnvironmentOptions options = context.environment.options();
  options.batch = batch;
  return options;
}

}  // namespace

SearchPool::SearchPool(SizeContext& context)
    : context_(context),
      instances_(options_for(context, context.config.instances_of_batch())),
      rivals_(options_for(context, 2 * context.config.instances_of_batch())),
      key_{context.config.seed, kPoolStream, torch::zeros_like(context.key.counters)},
      scratch_(empty_chunk(rivals_, 1)),
      step_replay_(
          [this] {
            const torch::NoGradGuard no_grad;
            roll_out(rivals_, *context_.sampler, key_, context_.state.mean_improvement, scratch_);
          },
          context.device, context.config.graphs) {}

void SearchPool::begin_batch(int batch_number) {
  context_.generate(instances_, batch_number);
  rivals_.branch_from(instances_);
  key_.counters.select(0, 0).fill_(context_.state.team->place(batch_number) * rivals_.options().batch);
  key_.counters.select(0, 1).fill_(0);
}

void SearchPool::hand_over() {
  const torch::NoGradGuard no_grad;
  context_.environment.take(rivals_, furthest_behind(rivals_.best_costs(), context_.config.batch));
}

torch::Tensor furthest_behind(const torch::Tensor& costs, std::int64_t count) {
  const torch::Tensor pairs = costs.view({-1, 2});
  const torch::Tensor behind = (pairs / std::get<0>(pairs.min(1, /*keepdim=*/true))).view(-1);
  return std::get<1>(torch::sort(behind, /*stable=*/true, /*dim=*/0, /*descending=*/true)).narrow(0, 0, count);
}

}  // namespace neuopt::train
