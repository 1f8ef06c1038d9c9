// Recorded searches (npz): reads the quantities of the environment and sets up the recorded states.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "io/npz.h"
#include "world.h"

namespace neuopt::test {

class Trace {
 public:
  explicit Trace(const std::string& path) : file_(NpzFile::open(path)) {
    nodes_ = static_cast<int>(integers("meta.size")[0]);
    depots_ = file_.has("meta.dummy") ? static_cast<int>(integers("meta.dummy")[0]) : 0;
    k_ = static_cast<int>(integers("meta.k")[0]);
    steps_ = static_cast<int>(integers("meta.steps")[0]);
    coordinates_ = floats("in.coordinates");
    instances_ = static_cast<int>(coordinates_.size()) / (2 * nodes_);
  }

  int nodes() const { return nodes_; }
  int depots() const { return depots_; }
  int steps() const { return steps_; }
  int instances() const { return instances_; }
  float mean_improvement() const { return floats("meta.reg_weight")[0]; }
  bool has(const std::string& name) const { return file_.has(name); }

  std::vector<float> floats(const std::string& name) const { return file_.tensor(name).to_float(); }
  std::vector<std::int64_t> integers(const std::string& name) const { return file_.tensor(name).to_int64(); }
  static std::string at(int step, const std::string& name) { return fmt::format("t{}.{}", step, name); }

  /// Row `instance` of an array of step `step`.
  std::vector<float> float_row(int step, const std::string& name, int instance) const {
    return row(floats(at(step, name)), instance);
  }
  std::vector<int> integer_row(int step, const std::string& name, int instance) const {
    const std::vector<std::int64_t> values = row(integers(at(step, name)), instance);
    return {values.begin(), values.end()};
  }

  /// A search that begins at the recorded solution of step 0.
  World start(int instance) const {
    std::vector<float> x(nodes_), y(nodes_);
    for (int node = 0; node < nodes_; ++node) {
      x[node] = coordinates_[2 * (instance * nodes_ + node)];
      y[node] = coordinates_[2 * (instance * nodes_ + node) + 1];
    }
    std::vector<float> demand;
    if (depots_ > 0) demand = row(floats("in.demand"), instance);
    World world(std::move(x), std::move(y), std::move(demand), depots_, solution(0, instance));
    if (depots_ > 0) world.epsilon = floats("meta.epsilon")[0];
    if (file_.has("meta.history")) world.gire().history = static_cast<int>(integers("meta.history")[0]);
    return world;
  }

  /// A search in the recorded state of a step. The flags of the history are the last ES feature of the steps before.
  World state(int step, int instance) const {
    World world = start(instance);
    world.tour = solution(step, instance);
    world.begin();
    const std::vector<float> objective = float_row(step, "obj", instance);
    world.state.status.cost = objective[0];
    world.state.status.best_cost = objective[1];
    world.state.status.best_epsilon_cost = objective[2];
    world.state.status.previous_anchor = integer_row(step, "last_action", instance)[0];
    for (int earlier = 1; earlier <= step; ++earlier)
      env::record_step(world.state.status.history, float_row(earlier, "es", instance)[8] > 0);
    return world;
  }

  /// The recorded choices of a step, as ranks in the given tour.
  Choices choices(int step, int instance, Tour& tour) const {
    const std::vector<int> action = integer_row(step, "action", instance);
    Choices result{action[0], {}};
    std::vector<int> cuts(k_ - 1);
    kopt::Action built = kopt::start_action(tour.view(), action[0], cuts.data());
    for (int i = 1; i < k_ && !built.closed; ++i) {
      result.ranks.push_back(kopt::rank_of(tour.view(), built.anchor_position, action[i]));
      if (!kopt::legal_ranks(built).allows(result.ranks.back(), nodes_)) throw std::logic_error("not a legal choice");
      kopt::choose(built, result.ranks.back());
    }
    return result;
  }

 private:
  template <class Value>
  std::vector<Value> row(const std::vector<Value>& values, int instance) const {
    const std::size_t width = values.size() / static_cast<std::size_t>(instances_);
    return {values.begin() + static_cast<long>(instance * width),
            values.begin() + static_cast<long>((instance + 1) * width)};
  }

  /// The recorded successors as a tour from node 0.
  Tour solution(int step, int instance) const {
    const std::vector<int> next = integer_row(step, "solution", instance);
    std::vector<int> order{0};
    while (static_cast<int>(order.size()) < nodes_) order.push_back(next[order.back()]);
    return Tour(order);
  }

  NpzFile file_;
  int nodes_ = 0, depots_ = 0, k_ = 0, steps_ = 0, instances_ = 0;
  std::vector<float> coordinates_;
};

}  // namespace neuopt::test
