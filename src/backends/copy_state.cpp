#include "backends/copy_state.h"

#include <fmt/format.h>

#include <limits>

#include "backends/positions.h"
#include "core/error.h"
#include "env/features.h"
#include "env/stall.h"
#include "env/view.h"

namespace neuopt::backends {

const SearchInstance& checked_instance(const policy::Copy& copy, const policy::Architecture& architecture) {
  const SearchInstance& instance = *copy.instance;
  if (instance.kind != architecture.problem)
    throw InputError("the model was made for another problem than the instance");
  if (instance.size() < 3) throw InputError(fmt::format("{} search nodes, expected 3 or more", instance.size()));
  return instance;
}

CopyState::CopyState(const policy::Copy& copy, const policy::Architecture& architecture,
                     const policy::SessionOptions& options)
    : problem_(env::view_of(checked_instance(copy, architecture), options.gire)),
      gire_(options.gire),
      random_{options.seed},
      instance_id_(copy.instance_id),
      copy_id_(copy.copy_id),
      stall_limit_(options.stall_limit),
      order_(copy.start),
      position_(positions_of(copy.start, copy.instance->size())),
      best_order_(copy.start),
      seen_x_(copy.instance->x),
      seen_y_(copy.instance->y) {
  const auto size = static_cast<std::size_t>(nodes());
  scratch_.resize(size);
  if (problem_.depots > 0) {
    load_up_to_.resize(size);
    load_after_.resize(size);
    route_load_.resize(static_cast<std::size_t>(problem_.depots));
    loads_ = {load_up_to_.data(), load_after_.data(), route_load_.data()};
    env::compute_loads(SerialLanes{}, problem_, tour(), loads_);
  }
  status_ = env::start_status(problem_, tour(), loads_);
  if (!env::is_feasible(status_)) status_.best_cost = std::numeric_limits<double>::infinity();
  if (options.augment_start) draw_augmentation();
}

void CopyState::write_features(float* out) const {
  env::write_features(SerialLanes{}, problem_, loads_, gire_, seen_x_.data(), seen_y_.data(), out);
}

void CopyState::write_exploration(float* out) const {
  env::write_exploration_features(status_.history, env::is_feasible(status_), gire_, out);
}

float CopyState::uniform(int k) const {
  const Philox4 words = random_.words(Draw::decode, instance_id_, copy_id_, static_cast<std::uint32_t>(steps()),
                                      static_cast<std::uint32_t>(k));
  return uniform_float(words.word[0]);
}

void CopyState::draw_augmentation() {
  const Philox4 words = random_.words(Draw::augment, instance_id_, copy_id_, augmentations_++, 0);
  const env::Augmentation map = env::draw_augmentation(words);
  for (int node = 0; node < nodes(); ++node)
    env::apply(map, problem_.x[node], problem_.y[node], seen_x_[node], seen_y_[node]);
}

env::Reward CopyState::take(const kopt::Action& action, std::span<const int> chosen, float mean_improvement) {
  const double best_before = status_.best_cost;
  const env::Reward reward = env::take_step(SerialLanes{}, problem_, gire_, mean_improvement, action, tour(), loads_,
                                            scratch_.data(), status_);
  feasible_steps_ += env::is_feasible(status_) ? 1 : 0;

  if (status_.best_cost < best_before) best_order_ = order_;

  last_augmented_ = env::count_stall(best_before, status_.best_cost, stall_limit_, stalled_);
  if (last_augmented_) draw_augmentation();
  last_chosen_.assign(chosen.begin(), chosen.end());
  last_k_ = action.cut_count + 1;
  return reward;
}

policy::StepRecord CopyState::record(int index) const {
  return {index,
          steps() - 1,
          status_.cost,
          status_.best_cost,
          status_.best_epsilon_cost,
          status_.violation,
          last_k_,
          last_augmented_,
          last_chosen_,
          order_};
}

CopySession::CopySession(std::span<const policy::Copy> copies, const policy::Architecture& architecture,
                         const policy::SessionOptions& options) {
  copies_.reserve(copies.size());
  for (const policy::Copy& copy : copies) copies_.emplace_back(copy, architecture, options);
}

std::vector<int> CopySession::current_tour(int copy) const {
  const std::span<const int> order = copies_.at(static_cast<std::size_t>(copy)).order();
  return {order.begin(), order.end()};
}

double CopySession::feasible_share() const {
  double feasible = 0, visited = 0;
  for (const CopyState& copy : copies_) {
    feasible += static_cast<double>(copy.feasible_steps());
    visited += copy.steps();
  }
  return visited > 0 ? feasible / visited : 1.0;
}

void CopySession::report_step() const {
  if (!observer_) return;
  for (int copy = 0; copy < copies(); ++copy) observer_(copies_[static_cast<std::size_t>(copy)].record(copy));
}

}  // namespace neuopt::backends
