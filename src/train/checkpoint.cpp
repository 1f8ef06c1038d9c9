#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.h"
#include "io/sealed_file.h"
#include "policy/model.h"
#include "train/host_tensor.h"

namespace neuopt::train {
namespace {

constexpr SealedKind kKind{
    .name = "checkpoint", .format = "neuopt-checkpoint", .version = "1", .stranger = "not a checkpoint"};

/// A tensor of the file with the type of `like` and one of the given shapes, on the host.
torch::Tensor stored_tensor(const NamedTensors& tensors, const std::string& name, const torch::Tensor& like,
                            const std::vector<std::vector<std::int64_t>>& shapes, const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(path, 0, fmt::format("tensor {} is missing", name));
  const Tensor& stored = found->second;
  const bool known_shape = std::find(shapes.begin(), shapes.end(), stored.shape) != shapes.end();
  if (!known_shape || stored.dtype != (like.scalar_type() == torch::kFloat64 ? DType::f64 : DType::f32))
    throw InputError(path, 0, fmt::format("tensor {} does not fit the network", name));
  return from_io(stored);
}

/// The critics of both algorithms mean different things by a value: neither takes over the other's, nor does one that
/// is told the excess take over an older one, branch_critic, that was not.
std::string critic_prefix(const LearningState& state) { return state.grouped ? "excess_critic." : "critic."; }

/// Of a branch critic.
constexpr const char* kValueUnit = "value_unit";

/// Of any critic; older checkpoints count its steps with the policy's.
constexpr const char *kCriticSteps = "optimizer.critic_steps", *kSteps = "optimizer.steps";

/// Of an optimiser that turns its axes.
constexpr const char* kLeftAxes = "optimizer.left_axes";

bool holds_network(const NamedTensors& tensors, const std::string& prefix) {
  const auto first = tensors.lower_bound(prefix);
  return first != tensors.end() && first->first.starts_with(prefix);
}

/// Calls visit(name, tensor) for both moments of the optimiser: flat, the policy's part first, then the critic's.
template <class Visit>
void visit_moments(LearningState& state, Visit&& visit) {
  visit("optimizer.first_moment", state.adam.first_moment);
  visit("optimizer.second_moment", state.adam.second_moment);
}

/// The same for the axes of the policy's moments.
template <class Visit>
void visit_axes(GradientAxes& axes, Visit&& visit) {
  visit("optimizer.left_moments", axes.left_moments);
  visit("optimizer.right_moments", axes.right_moments);
  visit(kLeftAxes, axes.left_axes);
  visit("optimizer.right_axes", axes.right_axes);
}

/// The same for every tensor besides moments, axes and weights.
template <class Visit>
void visit_scalars(LearningState& state, Visit&& visit) {
  Adam& adam = state.adam;
  visit(kSteps, adam.steps);
  visit("optimizer.skipped", adam.skipped);
  visit("optimizer.skipped_in_a_row", adam.skipped_in_a_row);
  visit("mean_improvement", state.mean_improvement);
}

/// The networks of a file.
struct StoredWeights {
  policy::Weights actor;
  std::optional<policy::Weights> critic, average;
  torch::Tensor critic_steps;  // where there is a critic
  torch::Tensor value_unit;    // where there is a branch critic
  int average_counts = 0;
};

StoredWeights read_weights(const SealedFile& file, const LearningState& state, const std::string& path) {
  const auto read = [&](std::vector<policy::TensorSpec> specs, const char* prefix) {
    policy::Weights weights(std::move(specs));
    weights.assign(file.tensors(), prefix, path);
    return weights;
  };
  const policy::Architecture& architecture = state.parameters.architecture();
  StoredWeights stored{read(policy::policy_tensors(architecture), "actor."), {}, {}, {}, {}};
  if (state.parameters.has_critic() && holds_network(file.tensors(), critic_prefix(state))) {
    stored.critic = read(policy::critic_tensors(architecture), critic_prefix(state).c_str());
    stored.critic_steps = stored_tensor(file.tensors(), file.tensors().contains(kCriticSteps) ? kCriticSteps : kSteps,
                                        state.adam.critic_steps, {{}}, path);
    if (state.grouped) stored.value_unit = stored_tensor(file.tensors(), kValueUnit, state.value_unit, {{}}, path);
  }
  if (state.average.kept() && holds_network(file.tensors(), "average.")) {
    stored.average = read(policy::policy_tensors(architecture), "average.");
    stored.average_counts = file.whole("average_counts");
  }
  return stored;
}

/// The axes along which the moments of a file are, unless they are those of the single weights.
std::optional<GradientAxes> read_axes(const SealedFile& file, const LearningState& state, const std::string& path) {
  if (!file.tensors().contains(kLeftAxes)) return {};
  GradientAxes axes(state.parameters);
  visit_axes(axes, [&](const char* name, torch::Tensor& tensor) {
    tensor.copy_(stored_tensor(file.tensors(), name, tensor, {tensor.sizes().vec()}, path));
  });
  return axes;
}

/// An optimiser that does not turn its axes takes the moments along the weights'.
void restore_axes(GradientAxes stored, LearningState& state) {
  const Segment policy = state.parameters.actor();
  if (state.adam.axes)
    state.adam.axes = std::move(stored);
  else
    stored.straighten(policy.of(state.adam.first_moment), policy.of(state.adam.second_moment));
}

void restore_weights(const StoredWeights& stored, LearningState& state) {
  if (stored.critic) {
    state.parameters.set_critic(*stored.critic);
    state.adam.critic_steps.copy_(stored.critic_steps);
  }
  if (stored.value_unit.defined()) state.value_unit.copy_(stored.value_unit);
  if (stored.average) {
    state.parameters.set_actor(*stored.average);
    state.average.restart();
    state.average.counts = stored.average_counts;
  }
  state.parameters.set_actor(stored.actor);
  if (!stored.average) state.average.restart();
}

}  // namespace

std::string require_same_network(const policy::Architecture& stored, policy::Architecture expected,
                                 const std::string& path) {
  const std::string all = policy::differences(stored, expected);
  expected.max_moves = stored.max_moves;
  expected.logit_bound = stored.logit_bound;
  expected.foresight = stored.foresight;
  if (stored != expected)
    throw InputError(path, 0, "its network and that of the settings differ: " + policy::differences(stored, expected));
  return all;
}

void save_checkpoint(const std::string& path, const TrainConfig& config, LearningState& state,
                     const CheckpointInfo& info) {
  SafeTensors content;
  content.tensors = state.parameters.actor_weights().tensors("actor.");
  const auto add = [&](const char* name, torch::Tensor& tensor) { content.tensors[name] = to_io(tensor); };
  if (state.parameters.has_critic()) {
    content.tensors.merge(state.parameters.critic_weights().tensors(critic_prefix(state)));
    add(kCriticSteps, state.adam.critic_steps);
    if (state.grouped) add(kValueUnit, state.value_unit);
  }
  visit_moments(state, add);
  if (state.adam.axes) visit_axes(*state.adam.axes, add);
  visit_scalars(state, add);
  content.metadata = {{"config", format_train_config(config)},
                      {"batches_done", fmt::format("{}", info.batches_done)},
                      {"updates", fmt::format("{}", state.updates)},
                      {"best_validation", fmt::format("{}", info.best_validation)},
                      {"seconds", fmt::format("{}", info.seconds)},
                      {"validation", info.validation},
                      {"average_validation", info.average_validation},
                      {"wall_seconds", fmt::format("{}", info.wall_seconds)},
                      {"validation_seconds", fmt::format("{}", info.validation_seconds)},
                      {"validated_on", info.validated_on}};
  if (state.average.kept()) {
    content.tensors.merge(state.parameters.actor_weights(state.average.weights).tensors("average."));
    content.metadata["average_counts"] = fmt::format("{}", state.average.counts);
  }
  write_sealed_file(path, std::move(content), kKind);
}

CheckpointInfo load_checkpoint(const std::string& path, LearningState& state) {
  const SealedFile file = SealedFile::read(path, kKind);
  CheckpointInfo info;
  info.network_changes = require_same_network(parse_train_config(file.text("config"), path).architecture(),
                                              state.parameters.architecture(), path);
  info.batches_done = file.whole("batches_done");
  info.best_validation = file.number("best_validation");
  info.seconds = file.number("seconds");
  if (file.metadata().contains("validation")) {  // not in the oldest
    info.validation = file.text("validation");
    info.average_validation = file.text("average_validation");
  }
  info.wall_seconds = info.seconds;
  if (file.metadata().contains("wall_seconds")) {  // not in older ones
    info.wall_seconds = file.number("wall_seconds");
    info.validation_seconds = file.number("validation_seconds");
    info.validated_on = file.text("validated_on");
  }
  const auto updates = static_cast<std::int64_t>(file.number("updates"));
  const StoredWeights weights = read_weights(file, state, path);
  const std::int64_t policy = state.parameters.actor().count;
  const std::int64_t with_critic =
      policy + policy::parameter_count(policy::critic_tensors(state.parameters.architecture()));
  std::optional<GradientAxes> axes = read_axes(file, state, path);
  std::vector<torch::Tensor> moments, scalars;
  visit_moments(state, [&](const char* name, torch::Tensor& tensor) {
    moments.push_back(stored_tensor(file.tensors(), name, tensor, {{policy}, {with_critic}}, path));
  });
  visit_scalars(state, [&](const char* name, torch::Tensor& tensor) {
    scalars.push_back(stored_tensor(file.tensors(), name, tensor, {tensor.sizes().vec()}, path));
  });
  // Everything was read: nothing below throws for what is in the file.
  state.updates = updates;
  restore_weights(weights, state);
  auto next = moments.begin();
  visit_moments(state, [&](const char*, torch::Tensor& tensor) {
    const std::int64_t common = weights.critic ? std::min(next->size(0), tensor.size(0)) : policy;
    tensor.zero_().narrow(0, 0, common).copy_(next->narrow(0, 0, common));
    ++next;
  });
  if (axes) restore_axes(*std::move(axes), state);
  next = scalars.begin();
  visit_scalars(state, [&](const char*, torch::Tensor& tensor) { tensor.copy_(*next++); });
  return info;
}

}  // namespace neuopt::train
