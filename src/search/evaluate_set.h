// A policy's result on a set of instances: the best cost of each, their mean, and the mean of the gaps.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policy/backend.h"
#include "problem/instance.h"
#include "search/settings.h"

namespace neuopt::search {

struct EvaluateOptions : SearchSettings {
  long steps = 1000;          // T
  bool greedy_start = false;  // nearest neighbour instead of the standard start
  std::vector<long> curve;    // steps at which the mean best cost is recorded, besides the last
};

/// What became of one instance.
struct InstanceResult {
  int index = 0;              // in the set
  double cost = 0;            // best over the copies, as the verifier counts it
  bool feasible = false;      // by the verifier
  std::optional<double> gap;  // (cost - reference) / reference, when a reference is known
  std::vector<double> curve;  // best cost at each of the curve's steps
};

/// Gaps below which a tenth, half and nine tenths of the instances lie.
struct GapSpread {
  double tenth = 0;
  double median = 0;
  double nine_tenths = 0;
};

struct CurvePoint {
  long step = 0;
  double mean_cost = 0;
  std::optional<double> mean_gap;
  std::optional<GapSpread> spread;  // of the same gaps
};

struct SetProgress {
  int instances_done = 0;
  int instances = 0;  // in all
  long step = 0;      // of the instances in work
  double seconds = 0;
  double instance_steps_per_second = 0;  // steps of every copy count
};

struct SetCallbacks {
  std::function<void(const SetProgress&)> progress;     // some ten times a second
  std::function<void(const InstanceResult&)> instance;  // once for each, as it is done
  const std::atomic<bool>* stop = nullptr;              // ends the work soon after it becomes true
};

struct SetResult {
  std::vector<InstanceResult> instances;  // in the order of the set; those not finished before a stop are missing
  double mean_cost = 0;                   // over the feasible ones
  std::optional<double> mean_reference;   // of the known costs
  std::optional<double> mean_gap;         // mean of the gaps of the instances
  int infeasible = 0;
  bool stopped = false;  // before all instances were done
  double seconds = 0;
  double instance_steps_per_second = 0;
  std::vector<CurvePoint> curve;
};

/// Runs the policy on every instance. With the same seed the costs are the same whatever the threads and the sessions;
/// instance i draws the same random numbers in every set. Tiny instances (search/exact.h) are solved exactly.
/// Throws InputError when the instances are not of the model's problem or the options make no sense.
SetResult evaluate_set(std::span<const Instance> instances, std::shared_ptr<const policy::Model> model,
                       policy::Backend& backend, const EvaluateOptions& options, const SetCallbacks& callbacks = {});

}  // namespace neuopt::search
