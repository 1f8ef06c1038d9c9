#include "train/search_pool.h"

namespace neuopt::train {
SearchPool::SearchPool(SizeContext& context)
    : context_(context),
      instances_(context.environment.options().with_batch(context.config.instances_of_batch())),
      rivals_(context.environment.options().with_batch(2 * context.config.instances_of_batch())),
      key_{context.config.seed, Stream::rivals, torch::zeros_like(context.key.counters)},
      steps_(context, rivals_, key_) {}

void SearchPool::begin_batch(int batch_number) {
  context_.generate(instances_, batch_number);
  rivals_.branch_from(instances_);
  key_.counters.select(0, 0).fill_(context_.state.team->place(batch_number) * rivals_.options().batch);
  key_.counters.select(0, 1).fill_(0);
}

torch::Tensor SearchPool::hand_over() {
  const torch::NoGradGuard no_grad;
  const torch::Tensor chosen = furthest_behind(rivals_.best_costs(), context_.config.batch);
  context_.environment.take(rivals_, chosen);
  return instances_.best_costs().index_select(0, chosen.div(2, "floor")).mean();
}

torch::Tensor furthest_behind(const torch::Tensor& costs, std::int64_t count) {
  const torch::Tensor first = costs.view({-1, 2}).select(1, 0), second = costs.view({-1, 2}).select(1, 1);
  const torch::Tensor behind = torch::maximum(first, second) / torch::minimum(first, second);
  const torch::Tensor pairs =
      std::get<1>(torch::sort(behind, /*stable=*/true, /*dim=*/0, /*descending=*/true)).narrow(0, 0, count);
  return 2 * pairs + second.gt(first).to(torch::kInt64).index_select(0, pairs);
}

}  // namespace neuopt::train
