#include "backends/cpu/cpu_session.h"

#include <algorithm>
#include <chrono>

#include "core/parallel.h"
#include "kopt/draw.h"

namespace neuopt::backends::cpu {
namespace {

/// Copies that a thread takes through their steps together. More would drive the keys out of the second-level cache.
constexpr int kLargestGroup = 4;
/// Memory for first-layer rows that stay with their copies between calls.
constexpr std::size_t kCacheBytes = std::size_t{96} << 20;
/// A block of steps after which `stop` is looked at takes about this long.
constexpr double kBlockSeconds = 0.01;

}  // namespace

CpuSession::CpuSession(std::shared_ptr<const Network> network, const Kernels& kernels, bool half,
                       std::span<const policy::Copy> copies, const policy::SessionOptions& options)
    : CopySession(copies, network->architecture, options), network_(std::move(network)) {
  threads_ = std::max(1, std::min(resolve_threads(options.threads), static_cast<int>(copies.size())));
  group_size_ = std::clamp(static_cast<int>(copies.size()) / threads_, 1, kLargestGroup);
  for (int worker = 0; worker < threads_; ++worker)
    workers_.push_back({Encoder(network_, kernels, half), Decoder(network_, kernels), std::vector<Slot>(group_size_)});
  std::size_t bytes = 0;
  for (const backends::CopyState& copy : copies_) {
    network_->table(copy.nodes());  // before the clock runs
    bytes += NodeCache::bytes(*network_, copy.nodes());
    if (bytes <= kCacheBytes) caches_.emplace_back();
  }
}

double CpuSession::bytes(const Network& network, int nodes, int copies, const policy::SessionOptions& options) {
  const double caches = static_cast<double>(NodeCache::bytes(network, nodes)) * copies;
  return std::min(caches, static_cast<double>(kCacheBytes)) +
         CopyState::bytes(network.architecture.problem, nodes, options) * copies;
}

int CpuSession::advance(int steps, const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  int block = stop == nullptr ? steps : 1;
  if (observer_) block = 1;
  int taken = 0;
  while (taken < steps && !(stop != nullptr && *stop)) {
    const int now = std::min(block, steps - taken);
    const Clock::time_point begin = Clock::now();
    advance_all(now);
    taken += now;
    report_step();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!observer_ && seconds < kBlockSeconds / 2) block *= 2;
  }
  return taken;
}

void CpuSession::advance_all(int steps) {
  const int groups = (copies() + group_size_ - 1) / group_size_;
  parallel_for(groups, threads_,
               [&](int group, int worker) { advance_group(group, steps, workers_[static_cast<std::size_t>(worker)]); });
  steps_taken_ += steps;
}

void CpuSession::advance_group(int group, int steps, Worker& worker) {
  const int first = group * group_size_, size = std::min(group_size_, copies() - first);
  const auto members = std::span(copies_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  for (int i = 1; i <= steps; ++i) {
    step(members, first, worker);
    for (CopyState& copy : members) copy.look_after(steps_taken_ + i);
  }
}

NodeCache& CpuSession::cache_of(int copy, Slot& slot) {
  const auto index = static_cast<std::size_t>(copy);
  return index < caches_.size() ? caches_[index] : slot.cache;
}

/// One step: 1. encoder for each copy, 2. decoder for all, each choice drawn, 3. the exchanges.
void CpuSession::step(std::span<backends::CopyState> copies, int first, Worker& worker) {
  std::vector<DecoderInput> inputs;
  std::vector<std::unique_ptr<backends::ActionBuilder>> actions;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    backends::CopyState& copy = copies[i];
    Slot& slot = worker.slots[i];
    encode(copy, cache_of(first + static_cast<int>(i), slot), slot, worker.encoder);
    actions.push_back(std::make_unique<backends::ActionBuilder>(
        network_->architecture, copy.tour(), copy.previous_anchor(), slot.features, copy.standing()));
    inputs.push_back(
        {slot.embeddings.data(), slot.keys.data(), copy.tour(), slot.exploration.data(), actions[i].get()});
  }

  const Kernels& kernels = worker.decoder.kernels();
  worker.decoder.decode(inputs, [&](int item, std::span<const int> positions, std::span<float> logits) {
    const backends::CopyState& copy = copies[static_cast<std::size_t>(item)];
    std::vector<float>& weights = worker.slots[static_cast<std::size_t>(item)].weights;
    kernels.exponentials(logits.data(), static_cast<int>(logits.size()));
    weights.assign(static_cast<std::size_t>(copy.nodes()), 0.0f);
    for (std::size_t j = 0; j < positions.size(); ++j) weights[copy.order()[positions[j]]] = logits[j];
    const float uniform = copy.uniform(inputs[static_cast<std::size_t>(item)].action->step());
    return kopt::draw_index(SerialLanes{}, copy.nodes(), uniform, [&](int node) { return weights[node]; }).index;
  });

  for (std::size_t i = 0; i < copies.size(); ++i) copies[i].take(actions[i]->action(), actions[i]->chosen());
}

void CpuSession::encode(backends::CopyState& copy, NodeCache& cache, Slot& slot, Encoder& encoder) const {
  const auto nodes = static_cast<std::size_t>(copy.nodes()), width = static_cast<std::size_t>(network_->width);
  slot.features.resize(nodes * static_cast<std::size_t>(network_->architecture.features()));
  slot.exploration.resize(env::kExplorationFeatures);
  if (slot.embeddings.size() < nodes * width) slot.embeddings.resize(nodes * width);
  if (slot.keys.size() < nodes * width * 4) slot.keys.resize(nodes * width * 4);
  copy.write_features(slot.features.data());
  copy.write_exploration(slot.exploration.data());
  encoder.encode(slot.features, copy.order(), cache, slot.embeddings.data());
  encoder.write_keys(slot.embeddings.data(), copy.nodes(), slot.keys.data());
}

}  // namespace neuopt::backends::cpu
