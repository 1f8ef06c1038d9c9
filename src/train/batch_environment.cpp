#include "train/batch_environment.h"

#include "core/error.h"
#include "core/parallel.h"
#include "train/batch_rows.h"
#include "train/config.h"
#include "train/cuda/launch.h"
#include "train/device.h"

namespace neuopt::train {
namespace {

/// Runs a row function for each row of a batch on the host.
template <class Row>
void for_each_row(const EnvironmentOptions& options, Row&& row) {
  const int rows = options.batch;
  constexpr int kRowsPerItem = 32;
  parallel_for((rows + kRowsPerItem - 1) / kRowsPerItem, resolve_threads(options.threads), [&](int item, int) {
    for (int r = item * kRowsPerItem; r < std::min(rows, (item + 1) * kRowsPerItem); ++r) row(r);
  });
}

ObservationView view_of(Observation& into) {
  TORCH_CHECK(into.features.is_contiguous() && into.exploration.is_contiguous() && into.costs.is_contiguous());
  return ObservationView{into.features.data_ptr<float>(), into.exploration.data_ptr<float>(),
                         into.previous_anchor.data_ptr<std::int32_t>(), into.costs.data_ptr<float>()};
}

}  // namespace

EnvironmentOptions environment_options(const TrainConfig& config, torch::Device device) {
  EnvironmentOptions options;
  options.customers = config.size;
  options.depots = config.depots;
  options.capacity = static_cast<float>(config.capacity);
  options.epsilon = static_cast<float>(config.epsilon);
  options.shaped = static_cast<float>(config.shaped);
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
  x_ = torch::zeros({rows, nodes}, real);
  y_ = torch::zeros({rows, nodes}, real);
  order_ = torch::zeros({rows, nodes}, index);
  position_ = torch::zeros({rows, nodes}, index);
  scratch_ = torch::zeros({rows, nodes}, index);
  best_order_ = torch::zeros({rows, nodes}, index);
  if (options.depots > 0) {
    demand_ = torch::zeros({rows, nodes}, real);
    load_up_to_ = torch::zeros({rows, nodes}, real);
    load_after_ = torch::zeros({rows, nodes}, real);
    route_load_ = torch::zeros({rows, options.depots}, real);
  }
  status_ = torch::zeros({rows, static_cast<std::int64_t>(sizeof(env::SearchStatus))},
                         torch::dtype(torch::kUInt8).device(options.device));
}

BatchView BatchEnvironment::view() const {
  const bool loads = options_.depots > 0;
  return BatchView{options_.batch,
                   options_.nodes(),
                   options_.depots,
                   options_.max_moves,
                   options_.capacity,
                   options_.epsilon,
                   options_.shaped,
                   options_.gire,
                   x_.data_ptr<float>(),
                   y_.data_ptr<float>(),
                   loads ? demand_.data_ptr<float>() : nullptr,
                   order_.data_ptr<std::int32_t>(),
                   position_.data_ptr<std::int32_t>(),
                   scratch_.data_ptr<std::int32_t>(),
                   best_order_.data_ptr<std::int32_t>(),
                   loads ? load_up_to_.data_ptr<float>() : nullptr,
                   loads ? load_after_.data_ptr<float>() : nullptr,
                   loads ? route_load_.data_ptr<float>() : nullptr,
                   reinterpret_cast<env::SearchStatus*>(status_.data_ptr<std::uint8_t>())};
}

bool BatchEnvironment::on_gpu() const { return options_.device.is_cuda(); }

void BatchEnvironment::generate(std::uint64_t seed, std::uint64_t first_instance) {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::generate(batch, seed, first_instance, current_stream());
  const Random random{seed};
  for_each_row(options_, [&](int row) {
    const std::uint64_t instance = first_instance + static_cast<std::uint64_t>(row);
    generate_instance(SerialLanes{}, batch, row, random, instance);
    write_standard_start(SerialLanes{}, batch, row, random, instance);
    start_row(SerialLanes{}, batch, row);
  });
}

void BatchEnvironment::assign(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& demand,
                              const torch::Tensor& starts) {
  x_.copy_(x);
  y_.copy_(y);
  if (options_.depots > 0) demand_.copy_(demand);
  order_.copy_(starts);
  start();
}

void BatchEnvironment::start() {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::start(batch, current_stream());
  for_each_row(options_, [&](int row) { start_row(SerialLanes{}, batch, row); });
}

void BatchEnvironment::restart_from_best() {
  const BatchView batch = view();
  if constexpr (cuda_built())
    if (on_gpu()) return cuda::restart_from_best(batch, current_stream());
  for_each_row(options_, [&](int row) { restart_row_from_best(SerialLanes{}, batch, row); });
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
  for_each_row(options_, [&](int row) { observe_row(SerialLanes{}, batch, row, out); });
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
  for_each_row(options_, [&](int row) {
    step_row(SerialLanes{}, batch, row, chosen + static_cast<std::int64_t>(row) * options_.max_moves, scale,
             reward + row * 3);
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
    best.data_ptr<float>()[row] = static_cast<float>(batch.status[row].best_cost);
  return best;
}

}  // namespace neuopt::train
