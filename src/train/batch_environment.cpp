#include "train/batch_environment.h"

#include "core/error.h"
#include "core/parallel.h"
#include "train/batch_rows.h"
#include "train/config.h"
#include "train/cuda/launch.h"
#include "train/device.h"
#include "train/host_tensor.h"

namespace neuopt::train {
namespace {

/// Runs work(Problem{}, row) for each row of a batch on the host.
template <class Work>
void for_each_row(const EnvironmentOptions& options, Work&& work) {
  const int rows = options.batch;
  constexpr int kRowsPerItem = 32;
  env::for_problem(options.kind, [&](auto problem) {
    parallel_for((rows + kRowsPerItem - 1) / kRowsPerItem, resolve_threads(options.threads), [&](int item, int) {
      for (int r = item * kRowsPerItem; r < std::min(rows, (item + 1) * kRowsPerItem); ++r) work(problem, r);
    });
  });
}

ObservationView view_of(Observation& into) {
  TORCH_CHECK(into.features.is_contiguous() && into.exploration.is_contiguous() && into.costs.is_contiguous());
  return ObservationView{into.features.data_ptr<float>(), into.exploration.data_ptr<float>(),
                         into.previous_anchor.data_ptr<std::int32_t>(), into.costs.data_ptr<float>()};
}

/// (B * G, ..) as (B, G, values of a row).
torch::Tensor by_group(const torch::Tensor& rows, std::int64_t searches) {
  const std::int64_t copies = rows.size(0) / searches;
  return rows.view({searches, copies, rows.numel() / rows.size(0)});
}

/// Copies each of the B rows into the G rows that belong to it.
void copy_to_branches(const std::vector<torch::Tensor>& from, const std::vector<torch::Tensor>& to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    by_group(to[i], from[i].size(0)).copy_(by_group(from[i], from[i].size(0)));
}

}  // namespace

EnvironmentOptions environment_options(const TrainConfig& config, torch::Device device) {
  EnvironmentOptions options;
  options.kind = config.kind();
  options.customers = config.size;
  options.depots = config.depots;
  options.capacity = static_cast<float>(config.capacity);
  options.epsilon = static_cast<float>(config.epsilon);
  options.shaped = static_cast<float>(config.shaped);
  options.stall_limit = config.stall_limit;
  options.max_moves = config.max_moves;
  options.batch = config.batch;
  options.gire = config.gire();
  options.device = device;
  options.threads = config.threads;
  return options;
}

BatchEnvironment::BatchEnvironment(const EnvironmentOptions& options) : options_(options) {
  if (options.max_moves < 2 || options.max_moves > kMaxMoves)
    throw InputError("K must be from 2 to " + std::to_string(kMaxMoves));
  const auto real = torch::dtype(torch::kFloat32).device(options.device);
  const auto index = torch::dtype(torch::kInt32).device(options.device);
  const std::int64_t rows = options.batch, nodes = options.nodes();
  const auto byte = torch::dtype(torch::kUInt8).device(options.device);
  const env::NodeBytes bytes = env::node_bytes(options.kind);
  for (torch::Tensor* array : {&x_, &y_}) *array = torch::zeros({rows, nodes}, real);
  for (torch::Tensor* array : {&order_, &position_, &scratch_, &best_order_})
    *array = torch::zeros({rows, nodes}, index);
  node_ = torch::zeros({rows, nodes, static_cast<std::int64_t>(bytes.node / sizeof(float))}, real);
  routes_ = torch::zeros({rows, nodes, static_cast<std::int64_t>(bytes.route)}, byte);
  states_ = torch::zeros({rows, static_cast<std::int64_t>(sizeof(env::SearchState))}, byte);
  instances_ = bytes_of(instance_views(), options.device);
}

std::vector<env::InstanceView> BatchEnvironment::instance_views() const {
  const std::int64_t nodes = options_.nodes(), node_values = node_.size(2);
  std::vector<env::InstanceView> views;
  for (std::int64_t row = 0; row < options_.batch; ++row)
    views.push_back({.nodes = options_.nodes(),
                     .depots = options_.depots,
                     .x = x_.data_ptr<float>() + row * nodes,
                     .y = y_.data_ptr<float>() + row * nodes,
                     .node = node_values > 0 ? node_.data_ptr<float>() + row * nodes * node_values : nullptr,
                     .matrix = nullptr,
                     .place = nullptr,
                     .places = 0,
                     .epsilon = options_.epsilon,
                     .ticks = options_.ticks,
                     .tick_length = options_.tick_length});
  return views;
}

BatchView BatchEnvironment::view() const {
  const env::SearchBatch searches{
      .copies = options_.batch,
      .nodes = options_.nodes(),
      .rules = {.gire = options_.gire,
                .seed = 0,
                .stall_limit = options_.stall_limit,
                .augment_start = options_.stall_limit > 0},
      .instances = reinterpret_cast<const env::InstanceView*>(instances_.data_ptr<std::uint8_t>()),
      .states = reinterpret_cast<env::SearchState*>(states_.data_ptr<std::uint8_t>()),
      .order = order_.data_ptr<std::int32_t>(),
      .position = position_.data_ptr<std::int32_t>(),
      .best_order = best_order_.data_ptr<std::int32_t>(),
      .scratch = scratch_.data_ptr<std::int32_t>(),
      .routes = routes_.numel() > 0 ? routes_.data_ptr<std::uint8_t>() : nullptr};
  return {.kind = options_.kind,
          .searches = searches,
          .max_moves = options_.max_moves,
          .depots = options_.depots,
          .capacity = options_.capacity,
          .shaped = options_.shaped,
          .x = x_.data_ptr<float>(),
          .y = y_.data_ptr<float>(),
          .node = node_.numel() > 0 ? node_.data_ptr<float>() : nullptr};
}

env::SearchBatch BatchEnvironment::searches() const { return view().searches; }

bool BatchEnvironment::on_gpu() const { return options_.device.is_cuda(); }

void BatchEnvironment::generate(std::uint64_t seed, std::uint64_t first_instance) {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::generate(batch, seed, first_instance, current_stream());
  const Random random{seed};
  for_each_row(options_, [&](auto problem, int row) {
    generate_row<decltype(problem)>(SerialLanes{}, batch, row, random,
                                    first_instance + static_cast<std::uint64_t>(row));
  });
}

void BatchEnvironment::assign(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& node,
                              const torch::Tensor& starts) {
  x_.copy_(x);
  y_.copy_(y);
  if (node.defined()) node_.copy_(node.view_as(node_));
  order_.copy_(starts);
  start();
}

void BatchEnvironment::start() {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::start(batch, current_stream());
  for_each_row(options_, [&](auto problem, int row) { start_row<decltype(problem)>(SerialLanes{}, batch, row); });
}

void BatchEnvironment::branch_from(const BatchEnvironment& base) {
  TORCH_CHECK(options_.batch % base.options_.batch == 0 && options_.nodes() == base.options_.nodes());
  copy_to_branches(base.instance_tensors(), instance_tensors());
  copy_to_branches(base.search_tensors(), search_tensors());
}

void BatchEnvironment::take_first_branches(const BatchEnvironment& branches) {
  TORCH_CHECK(branches.options_.batch % options_.batch == 0 && options_.nodes() == branches.options_.nodes());
  const std::vector<torch::Tensor> from = branches.search_tensors(), to = search_tensors();
  for (std::size_t i = 0; i < to.size(); ++i)
    by_group(to[i], options_.batch).copy_(by_group(from[i], options_.batch).narrow(1, 0, 1));
}

void BatchEnvironment::take_searches(const BatchEnvironment& other, int first, int count) {
  const auto copy = [&](const std::vector<torch::Tensor>& from, const std::vector<torch::Tensor>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i].narrow(0, first, count).copy_(from[i].narrow(0, first, count));
  };
  copy(other.instance_tensors(), instance_tensors());
  copy(other.search_tensors(), search_tensors());
}

void BatchEnvironment::take(const BatchEnvironment& other, const torch::Tensor& index) {
  TORCH_CHECK(index.size(0) == options_.batch && options_.nodes() == other.options_.nodes());
  const auto select = [&](const std::vector<torch::Tensor>& from, const std::vector<torch::Tensor>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(from[i].index_select(0, index));
  };
  select(other.instance_tensors(), instance_tensors());
  select(other.search_tensors(), search_tensors());
}

void BatchEnvironment::restart_from_best() {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::restart_from_best(batch, current_stream());
  for_each_row(options_,
               [&](auto problem, int row) { restart_row_from_best<decltype(problem)>(SerialLanes{}, batch, row); });
}

Observation BatchEnvironment::empty_observation(int batch) const {
  const auto real = torch::dtype(torch::kFloat32).device(options_.device);
  return Observation{torch::zeros({batch, options_.nodes(), options_.features()}, real),
                     torch::zeros({batch, env::kExplorationFeatures}, real),
                     torch::zeros({batch}, torch::dtype(torch::kInt32).device(options_.device)),
                     torch::zeros({batch, 3}, real)};
}

void BatchEnvironment::observe(Observation& into) const {
  const BatchView batch = view();
  const ObservationView out = view_of(into);
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::observe(batch, out, current_stream());
  for_each_row(options_,
               [&](auto problem, int row) { observe_row<decltype(problem)>(SerialLanes{}, batch, row, out); });
}

void BatchEnvironment::step(const torch::Tensor& choices, const torch::Tensor& mean_improvement,
                            torch::Tensor rewards) {
  TORCH_CHECK(choices.is_contiguous() && rewards.is_contiguous());
  const BatchView batch = view();
  const std::int32_t* chosen = choices.data_ptr<std::int32_t>();
  float* reward = rewards.data_ptr<float>();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::step(batch, chosen, mean_improvement.data_ptr<float>(), reward, current_stream());
  const float scale = *mean_improvement.data_ptr<float>();
  for_each_row(options_, [&](auto problem, int row) {
    step_row<decltype(problem)>(SerialLanes{}, batch, row, chosen + static_cast<std::int64_t>(row) * options_.max_moves,
                                scale, reward + row * 3);
  });
}

torch::Tensor BatchEnvironment::best_costs() const {
  const BatchView batch = view();
  torch::Tensor best = torch::empty({options_.batch}, torch::dtype(torch::kFloat32).device(options_.device));
  if constexpr (cuda_built()) {
    if (on_gpu()) {
      cuda::best_costs(batch, best.data_ptr<float>(), current_stream());
      return best;
    }
  }
  for (int row = 0; row < options_.batch; ++row)
    best.data_ptr<float>()[row] = static_cast<float>(batch.searches.states[row].status.best_cost);
  return best;
}

}  // namespace neuopt::train
