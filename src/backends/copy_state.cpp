#include "backends/copy_state.h"

#include <fmt/format.h>

#include <limits>

#include "backends/positions.h"
#include "core/error.h"
#include "env/host_instance.h"
#include "env/observation.h"
#include "local/polish.h"

namespace neuopt::backends {

const SearchInstance& checked_instance(const policy::Copy& copy, const policy::Architecture& architecture) {
  const SearchInstance& instance = *copy.instance;
  if (instance.kind != architecture.problem)
    throw InputError("the model was made for another problem than the instance");
  if (instance.file != nullptr)
    throw Error(fmt::format("internal error: a session on {} nodes without a matrix", instance.nodes));
  if (instance.size() < 3) throw InputError(fmt::format("{} search nodes, expected 3 or more", instance.size()));
  return instance;
}

void check_restart(std::span<const int> which, std::span<const policy::Copy> onto, int copies,
                   const std::function<int(int copy)>& nodes_of, const policy::Architecture& architecture) {
  if (which.size() != onto.size())
    throw InputError(fmt::format("{} copies to restart and {} places to restart from", which.size(), onto.size()));
  std::vector<bool> named(static_cast<std::size_t>(copies));
  for (std::size_t i = 0; i < which.size(); ++i) {
    const int copy = which[i];
    if (copy < 0 || copy >= copies || named[static_cast<std::size_t>(copy)])
      throw InputError(fmt::format("copy {} to restart, expected 0 to {}, once each", copy, copies - 1));
    named[static_cast<std::size_t>(copy)] = true;
    const int nodes = checked_instance(onto[i], architecture).size();
    if (nodes != nodes_of(copy))
      throw InputError(fmt::format("copy {} has {} search nodes, its new instance {}", copy, nodes_of(copy), nodes));
  }
}

env::SearchRules search_rules(const policy::SessionOptions& options) {
  return {.gire = options.gire,
          .seed = options.seed,
          .stall_limit = options.stall_limit,
          .augment_start = options.augment_start};
}

const local::Neighbours& checked_neighbours(const policy::Copy& copy) {
  if (copy.neighbours == nullptr) throw InputError("a polish needs the neighbours of the nodes");
  return *copy.neighbours;
}

CopyState::CopyState(const policy::Copy& copy, const policy::Architecture& architecture,
                     const policy::SessionOptions& options)
    : kind_(architecture.problem),
      rules_(search_rules(options)),
      node_table_(env::node_table(checked_instance(copy, architecture))),
      instance_(env::view_of(*copy.instance, node_table_, options.gire)),
      order_(copy.start),
      position_(positions_of(copy.start, copy.instance->size())),
      best_order_(order_.size()),
      scratch_(order_.size()),
      routes_(order_.size() * env::node_bytes(kind_).route),
      polish_interval_(options.polish_interval),
      restart_interval_(options.restart_interval),
      foresight_(options.foresight),
      polished_cost_(std::numeric_limits<double>::infinity()) {
  if (polish_interval_ > 0) {
    neighbours_ = checked_neighbours(copy).view();
    polished_order_.resize(order_.size());
    workspace_.resize(
        env::for_problem(kind_, [&](auto problem) { return local::polish_bytes<decltype(problem)>(nodes()); }));
  }
  state_.instance_id = copy.instance_id;
  state_.copy_id = copy.copy_id;
  env::for_problem(kind_, [&](auto problem) {
    env::start_search(SerialLanes{}, rules_, env::search_at<decltype(problem)>(batch(), 0), state_);
  });
}

double CopyState::bytes(ProblemKind kind, int nodes, const policy::SessionOptions& options) {
  constexpr double kBlocks = 10 * 16;  // what the heap adds to each array
  double of_node = static_cast<double>(env::node_bytes(kind).node + env::node_bytes(kind).route) + 4 * sizeof(int);
  double workspace = 0;
  if (options.polish_interval > 0) {
    of_node += sizeof(int);
    workspace = env::for_problem(
        kind, [&](auto problem) { return static_cast<double>(local::polish_bytes<decltype(problem)>(nodes)); });
  }
  return sizeof(CopyState) + kBlocks + nodes * of_node + workspace;
}

env::SearchBatch CopyState::batch() {
  return {.copies = 1,
          .nodes = nodes(),
          .rules = rules_,
          .instances = &instance_,
          .states = &state_,
          .order = order_.data(),
          .position = position_.data(),
          .best_order = best_order_.data(),
          .scratch = scratch_.data(),
          .routes = routes_.data()};
}

void CopyState::write_features(float* out) {
  env::for_problem(kind_, [&](auto problem) {
    using Problem = decltype(problem);
    env::write_features<Problem, env::RowOrder::node>(SerialLanes{}, rules_, env::search_at<Problem>(batch(), 0),
                                                      state_, out);
  });
}

void CopyState::write_exploration(float* out) const { env::write_exploration(rules_, state_, out); }

env::Reward CopyState::take(const kopt::Action& action, std::span<const int> chosen, float mean_improvement) {
  const env::StepResult result = env::for_problem(kind_, [&](auto problem) {
    return env::take_step(SerialLanes{}, rules_, env::search_at<decltype(problem)>(batch(), 0), action,
                          mean_improvement, state_);
  });
  last_augmented_ = result.augmented;
  last_polished_ = false;
  last_chosen_.assign(chosen.begin(), chosen.end());
  last_k_ = action.cut_count + 1;
  return result.reward;
}

void CopyState::look_after(long session_step) {
  if (polish_interval_ > 0 && session_step % polish_interval_ == 0) polish();
  if (restart_interval_ > 0 && session_step % restart_interval_ == 0) return_to_best();
}

void CopyState::polish() {
  const local::PolishBatch batch{.copies = 1,
                                 .nodes = nodes(),
                                 .instances = &instance_,
                                 .neighbours = &neighbours_,
                                 .rules = local::polish_rules(),
                                 .order = order_.data(),
                                 .best_order = polished_order_.data(),
                                 .best_cost = &polished_cost_};
  const bool found = env::for_problem(kind_, [&](auto problem) {
    return local::polish_copy<decltype(problem)>(SerialLanes{}, batch, instance_, 0, workspace_.data());
  });
  last_polished_ = found && polished_is_best();
}

void CopyState::return_to_best() {
  if (best_cost() == std::numeric_limits<double>::infinity()) return;
  env::for_problem(kind_, [&](auto problem) {
    env::continue_from(SerialLanes{}, env::search_at<decltype(problem)>(batch(), 0), best_tour().data(), state_);
  });
}

policy::StepRecord CopyState::record(int index) const {
  const env::SearchStatus& status = state_.status;
  return {.copy = index,
          .step = steps() - 1,
          .cost = status.cost,
          .best_cost = best_cost(),
          .best_epsilon_cost = status.best_epsilon_cost,
          .violation = status.violation,
          .k = last_k_,
          .augmented = last_augmented_,
          .chosen = last_chosen_,
          .order = order_,
          .polished = last_polished_ ? std::span<const int>(polished_order_) : std::span<const int>()};
}

CopySession::CopySession(std::span<const policy::Copy> copies, const policy::Architecture& architecture,
                         const policy::SessionOptions& options)
    : architecture_(architecture), options_(options) {
  copies_.reserve(copies.size());
  for (const policy::Copy& copy : copies) copies_.emplace_back(copy, architecture, options);
}

void CopySession::restart(std::span<const int> which, std::span<const policy::Copy> onto) {
  check_restart(
      which, onto, copies(), [&](int copy) { return copies_[static_cast<std::size_t>(copy)].nodes(); }, architecture_);
  std::vector<CopyState> fresh;  // all of them first: an error leaves every copy as it was
  for (const policy::Copy& copy : onto) fresh.emplace_back(copy, architecture_, options_);
  for (std::size_t i = 0; i < which.size(); ++i) copies_[static_cast<std::size_t>(which[i])] = std::move(fresh[i]);
}

std::vector<int> CopySession::current_tour(int copy) const {
  const std::span<const int> order = copies_.at(static_cast<std::size_t>(copy)).order();
  return {order.begin(), order.end()};
}

policy::Visits CopySession::visits() const {
  policy::Visits visits;
  for (const CopyState& copy : copies_) visits += {.all = copy.steps(), .feasible = copy.feasible_steps()};
  return visits;
}

void CopySession::report_step() const {
  if (!observer_) return;
  for (int copy = 0; copy < copies(); ++copy) observer_(copies_[static_cast<std::size_t>(copy)].record(copy));
}

}  // namespace neuopt::backends
