#include "train/validation.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "env/host_instance.h"
#include "io/test_set.h"
#include "problem/generate.h"
#include "problem/normalize.h"

namespace neuopt::train {
namespace {

/// Of every number of a validation set: the instances, those of the search, tensors of them and what a search adds.
constexpr double kCopiesInMemory = 4;

std::vector<Instance> validation_set(const TrainConfig& config) {
  const auto limit = static_cast<std::size_t>(config.validation_count);
  std::vector<Instance> instances;
  if (config.validation.empty()) {
    require_memory_to_generate(config.kind(), config.size, config.validation_count, kCopiesInMemory, 0);
    for (std::size_t i = 0; i < limit; ++i)
      instances.push_back(generate_uniform(config.kind(), config.size, config.validation_seed, i, config.capacity));
    return instances;
  }
  instances = read_test_set(config.validation);
  if (instances.size() > limit) instances.resize(limit);
  for (const Instance& instance : instances)
    if (instance.kind != config.kind() || instance.size != instances[0].size)
      throw InputError(config.validation, 0, "expected instances of one size of a " + config.problem);
  if (instances.empty()) throw InputError(config.validation, 0, "no instances");
  return instances;
}

/// All instances with the same number of depots.
std::vector<SearchInstance> same_depots(const std::vector<Instance>& instances, int at_least) {
  SearchOptions options{at_least};
  for (const Instance& instance : instances)
    options.min_depots = std::max(options.min_depots, make_search_instance(instance, options).depots);
  std::vector<SearchInstance> result;
  for (const Instance& instance : instances) result.push_back(make_search_instance(instance, options));
  return result;
}

/// Training in half precision may be validated on instances that are too large for it.
std::string precision_of(const TrainConfig& config) { return config.precision == "fp16" ? "auto" : config.precision; }

}  // namespace

Validator::Validator(const TrainConfig& config, torch::Device device)
    : config_(config), parameters_(config.architecture(), device, /*with_critic=*/false) {
  EnvironmentOptions options = environment_options(config, device);
  load(validation_set(config), options);
  options.customers = config_.size;
  options.depots = static_cast<int>(x_.size(1)) - config_.size;
  options.batch = static_cast<int>(x_.size(0));
  environment_ = std::make_unique<BatchEnvironment>(options);
  const std::string precision = precision_of(config);
  policy_ = std::make_unique<PolicyNetwork>(
      parameters_, options.nodes(), choose_precision(precision, device, parameters_.architecture(), options.nodes()));
  sampler_ = make_sampler(*policy_, parameters_, options.nodes(), options.batch, precision == "auto");
}

void Validator::load(const std::vector<Instance>& instances, EnvironmentOptions& options) {
  const std::vector<SearchInstance> set = same_depots(instances, config_.depots);
  config_.size = set[0].customers();
  const std::int64_t count = static_cast<std::int64_t>(set.size()), nodes = set[0].size();
  x_ = torch::zeros({count, nodes});
  y_ = torch::zeros({count, nodes});
  const auto values = static_cast<std::int64_t>(env::node_bytes(set[0].kind).node / sizeof(float));
  if (values > 0) node_ = torch::zeros({count, nodes, values});
  if (!set[0].times.empty()) {
    options.ticks = set[0].ticks;
    options.tick_length = set[0].tick_length;
  }
  starts_ = torch::zeros({count, nodes}, torch::kInt32);
  scale_ = torch::zeros({count}, torch::kFloat64);
  const bool known =
      std::all_of(instances.begin(), instances.end(), [](const Instance& i) { return i.reference_cost; });
  if (known) reference_ = torch::zeros({count});
  for (std::int64_t i = 0; i < count; ++i) {
    const SearchInstance& instance = set[static_cast<std::size_t>(i)];
    const std::vector<int> start =
        env::standard_start(instance, Random{config_.validation_seed}, static_cast<std::uint32_t>(i), 0);
    std::copy(instance.x.begin(), instance.x.end(), x_.data_ptr<float>() + i * nodes);
    std::copy(instance.y.begin(), instance.y.end(), y_.data_ptr<float>() + i * nodes);
    const std::vector<std::byte> table = env::node_table(instance);
    if (!table.empty()) std::memcpy(node_.data_ptr<float>() + i * nodes * values, table.data(), table.size());
    if (instance.ticks.per_cost != set[0].ticks.per_cost || instance.ticks.whole != set[0].ticks.whole)
      throw InputError(config_.validation, 0, "expected instances with days of about the same length");
    std::copy(start.begin(), start.end(), starts_.data_ptr<std::int32_t>() + i * nodes);
    scale_[i] = instance.cost_scale;
    if (known) reference_[i] = *instances[static_cast<std::size_t>(i)].reference_cost;
  }
}

ValidationPoint Validator::measure(int steps) const {
  const torch::Tensor best = environment_->best_costs().to(torch::kCPU, torch::kFloat64) * scale_;
  ValidationPoint point{steps, best.mean().item<double>(), std::nullopt};
  if (reference_.defined()) point.gap_percent = ((best / reference_ - 1) * 100).mean().item<double>();
  return point;
}

std::vector<ValidationPoint> Validator::run(const torch::Tensor& weights, const std::function<bool()>& stop) {
  const torch::NoGradGuard no_grad;
  parameters_.flat().copy_(weights);
  const auto device = environment_->options().device;
  const auto real = torch::dtype(torch::kFloat32).device(device);
  environment_->assign(x_, y_, node_, starts_);
  Observation state = environment_->empty_observation(instances());
  const torch::Tensor choices =
      torch::zeros({instances(), config_.max_moves}, torch::dtype(torch::kInt32).device(device));
  const torch::Tensor log_prob = torch::zeros({instances()}, real), rewards = torch::zeros({instances(), 3}, real);
  const torch::Tensor no_improvement = torch::zeros({}, real);
  const SampleKey key{config_.validation_seed, Stream::validation,
                      torch::zeros({2}, torch::dtype(torch::kInt64).device(device))};
  sampler_->take_weights();
  const std::vector<int>& report_at = config_.validation_steps;
  std::vector<ValidationPoint> points;
  for (int step = 1; step <= report_at.back() && !stop(); ++step) {
    environment_->observe(state);
    sampler_->sample(state, key, choices, log_prob);
    environment_->step(choices, no_improvement, rewards);
    key.counters.select(0, 1).add_(1);
    if (std::find(report_at.begin(), report_at.end(), step) != report_at.end()) points.push_back(measure(step));
  }
  return points;
}

}  // namespace neuopt::train
