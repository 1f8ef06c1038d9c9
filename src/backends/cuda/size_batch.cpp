#include "backends/cuda/size_batch.h"

#include <algorithm>

namespace neuopt::backends::cuda {

Graph::~Graph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

void Graph::record(cudaStream_t stream, const std::function<void()>& work) {
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording a step");
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream, &graph), "recording a step");
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  check_cuda(status, "recording a step");
}

void Graph::launch(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(executable_, stream), "replaying a step"); }

SizeBatch::SizeBatch(const std::shared_ptr<PreparedModel>& model, std::span<const policy::Copy* const> copies,
                     const policy::SessionOptions& options, double share, cudaStream_t stream)
    : stream_(stream),
      max_moves_(model->architecture().max_moves),
      searches_(copies, model->architecture(), options, stream),
      polish_interval_(options.polish_interval),
      restart_interval_(options.restart_interval) {
  PrecisionChoice choice = choose_precision(options.precision, model->architecture(), searches_.nodes());
  precision_ = choice.half ? "fp16" : "fp32";
  prospect_weights_ = model->prospect_weights();
  fallback_reason_ = std::move(choice.reason);
  network_ =
      make_fitting_network(model, choice.half, searches_.nodes(), searches_.copies(), share, stream, group_size_);
  for (int first = 0; first < searches_.copies(); first += group_size_) {
    groups_.emplace_back();
    groups_.back().first = first;
    groups_.back().count = std::min(group_size_, searches_.copies() - first);
  }
}

/// 1. encoder, 2. for each basis move: streams, scores, choice; the last choice completes the step.
void SizeBatch::queue_step(const Group& group, const LaunchProbe& probe) {
  const auto told = [&](const char* kernel) {
    if (probe) probe(kernel);
  };
  DeviceBatch batch = searches_.view(group.first, group.count);
  batch.prospect_weights = prospect_weights_;
  const NetworkTask task{group.count, batch.network_features, batch.exploration, batch.move_input, batch.edge_input};
  network_->encode(task);
  told("encoder");
  for (int k = 0; k < max_moves_; ++k) {
    network_->advance_streams(task, k);
    told("streams");
    float* scores = network_->score_nodes(task);
    told("scores");
    sample_and_step(batch, k, scores, nullptr, nullptr, stream_);
    told(k + 1 < max_moves_ ? "choice" : "choice and step");
  }
}

void SizeBatch::advance(int steps) {
  forget_downloads();
  for (Group& group : groups_)
    for (int i = 1; i <= steps; ++i) {
      // The first step runs directly: it loads kernels, which must not happen while a graph is recorded.
      if (!group.started) {
        queue_step(group, nullptr);
        group.started = true;
      } else {
        if (group.step.empty()) group.step.record(stream_, [&] { queue_step(group, nullptr); });
        group.step.launch(stream_);
      }
      queue_care(group, step_ + i);
    }
  step_ += steps;
}

void SizeBatch::queue_care(const Group& group, long step) const {
  if (polish_interval_ > 0 && step % polish_interval_ == 0) searches_.polish(group.first, group.count);
  if (restart_interval_ > 0 && step % restart_interval_ == 0) searches_.return_to_best(group.first, group.count);
}

void SizeBatch::forget_downloads() {
  states_.reset();
  orders_.reset();
  best_orders_.reset();
  polished_orders_.reset();
  polished_costs_.reset();
}

void SizeBatch::restart(std::span<const int> rows, std::span<const policy::Copy* const> copies) {
  forget_downloads();
  searches_.restart(rows, copies);
}

void SizeBatch::step_with_probe(const LaunchProbe& probe) {
  forget_downloads();
  queue_step(groups_.front(), probe);
}

const env::SearchState& SizeBatch::state(int row) const {
  if (!states_) states_ = searches_.states();
  return states_->at(static_cast<std::size_t>(row));
}

std::vector<int> SizeBatch::order(int row) const {
  if (!orders_) orders_ = searches_.orders();
  const auto begin = orders_->begin() + static_cast<std::ptrdiff_t>(row) * searches_.nodes();
  return {begin, begin + searches_.nodes()};
}

bool SizeBatch::polished_is_best(int row) const {
  if (polish_interval_ == 0) return false;
  if (!polished_costs_) polished_costs_ = searches_.polished_costs();
  return polished_costs_->at(static_cast<std::size_t>(row)) < state(row).status.best_cost;
}

double SizeBatch::best_cost(int row) const {
  return polished_is_best(row) ? polished_costs_->at(static_cast<std::size_t>(row)) : state(row).status.best_cost;
}

std::vector<int> SizeBatch::best_order(int row) const {
  const bool polished = polished_is_best(row);
  std::optional<std::vector<std::int32_t>>& orders = polished ? polished_orders_ : best_orders_;
  if (!orders) orders = polished ? searches_.polished_orders() : searches_.best_orders();
  const auto begin = orders->begin() + static_cast<std::ptrdiff_t>(row) * searches_.nodes();
  return {begin, begin + searches_.nodes()};
}

}  // namespace neuopt::backends::cuda
