#include "viewer/watcher.h"

#include <algorithm>
#include <limits>

namespace neuopt::viewer {
namespace {

constexpr auto kFrameInterval = std::chrono::milliseconds(50);
constexpr std::size_t kMaxK = 64;

}  // namespace

void Watcher::begin(const SearchInstance& instance, std::span<const std::vector<int>> starts) {
  node_of_ = instance.node_of;
  cost_scale_ = instance.cost_scale;
  copies_ = static_cast<int>(starts.size());
  order_ = order_before_ = starts[0];
  frame_.cost = tour_cost(instance, order_) * instance.cost_scale;
  frame_.best_cost = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& start : starts) {
    const double cost = tour_cost(instance, start) * instance.cost_scale;
    if (!(cost < frame_.best_cost)) continue;
    frame_.best_cost = cost;
    best_order_ = start;
  }
  best_is_new_ = true;
  visits_.push_back({0, frame_.cost, frame_.best_cost, true});
  began_ = Pacer::Clock::now();
  publish();
  pacer_.wait_turn();
  began_ = Pacer::Clock::now() - pacer_.waited();
}

void Watcher::step(const policy::StepRecord& record) {
  const double scale = cost_scale_;
  const bool feasible = !(record.violation > 0);
  ++visited_;
  feasible_ += feasible;
  frame_.augmentations += record.augmented;
  const std::size_t k = std::min(static_cast<std::size_t>(std::max(record.k, 0)), kMaxK);
  if (frame_.k_counts.size() <= k) frame_.k_counts.resize(k + 1);
  ++frame_.k_counts[k];
  if (feasible && record.cost * scale < frame_.best_cost) {
    frame_.best_cost = record.cost * scale;
    best_order_.assign(record.order.begin(), record.order.end());
    best_is_new_ = true;
  }
  if (!record.polished.empty() && record.best_cost * scale < frame_.best_cost) {
    frame_.best_cost = record.best_cost * scale;
    best_order_.assign(record.polished.begin(), record.polished.end());
    best_is_new_ = true;
  }
  if (record.copy == 0) {
    frame_.step = record.step + 1;
    frame_.cost = record.cost * scale;
    frame_.violation = record.violation;
    frame_.k = record.k;
    frame_.anchor = record.chosen.empty() ? -1 : node_of_[static_cast<std::size_t>(record.chosen[0])];
    order_.swap(order_before_);
    order_.assign(record.order.begin(), record.order.end());
    visits_.push_back({frame_.step, frame_.cost, frame_.best_cost, feasible});
  }
  if (record.copy == copies_ - 1) end_of_step();
}

void Watcher::regions(std::span<const std::vector<int>> parts) {
  std::vector<std::vector<int>> on_maps;
  for (const std::vector<int>& part : parts) on_maps.push_back(on_map(part));
  board_.show_regions(std::move(on_maps));
}

void Watcher::end_of_step() {
  visits_.back().best = frame_.best_cost;
  if (pacer_.will_pause() || Pacer::Clock::now() - published_ >= kFrameInterval) publish();
  pacer_.wait_turn();
}

double Watcher::active_seconds() const {
  return std::chrono::duration<double>(Pacer::Clock::now() - began_ - pacer_.waited()).count();
}

std::vector<int> Watcher::on_map(const std::vector<int>& order) const {
  std::vector<int> nodes(order.size());
  std::transform(order.begin(), order.end(), nodes.begin(),
                 [&](int node) { return node_of_[static_cast<std::size_t>(node)]; });
  return nodes;
}

void Watcher::finish(double cost, const std::vector<int>& answer) {
  frame_.best_cost = cost;
  if (!node_of_.empty()) return pin(answer);
  frame_.cost = cost;  // there was no search: the answer is all there is to see
  frame_.tour = frame_.before = answer;
  board_.show_frame(frame_, {}, answer);
}

void Watcher::publish() { pin(best_is_new_ ? on_map(best_order_) : std::vector<int>{}); }

void Watcher::pin(std::vector<int> new_best) {
  Frame frame = frame_;
  frame.tour = on_map(order_);
  frame.before = on_map(order_before_);
  frame.feasible_share = visited_ > 0 ? static_cast<double>(feasible_) / static_cast<double>(visited_) : 1;
  frame.seconds = active_seconds();
  if (frame.seconds > 0) frame.steps_per_second = static_cast<double>(visited_) / frame.seconds;
  board_.show_frame(std::move(frame), visits_, std::move(new_best));
  visits_.clear();
  best_is_new_ = false;
  published_ = Pacer::Clock::now();
}

}  // namespace neuopt::viewer
