#include "train/checkpoint.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "core/error.h"
#include "io/sealed_file.h"

namespace neuopt::train {
namespace {

constexpr SealedKind kKind{
    .name = "checkpoint", .format = "neuopt-checkpoint", .version = "1", .stranger = "not a checkpoint"};

Tensor to_io(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
  Tensor result = Tensor::zeros(host.scalar_type() == torch::kFloat64 ? DType::f64 : DType::f32, host.sizes().vec());
  std::memcpy(result.bytes.data(), host.data_ptr(), result.bytes.size());
  return result;
}

/// A tensor of the file with the shape and type of `like`, on the host.
torch::Tensor from_io(const NamedTensors& tensors, const std::string& name, const torch::Tensor& like,
                      const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(path, 0, fmt::format("tensor {} is missing", name));
  const torch::Tensor result = torch::empty(like.sizes(), torch::dtype(like.scalar_type()));
  if (found->second.shape != like.sizes().vec() ||
      found->second.bytes.size() != static_cast<std::size_t>(result.nbytes()))
    throw InputError(path, 0, fmt::format("tensor {} does not fit the network", name));
  std::memcpy(result.data_ptr(), found->second.bytes.data(), found->second.bytes.size());
  return result;
}

/// Calls visit(name, tensor) for every tensor of the state besides the weights.
template <class Visit>
void visit_state(LearningState& state, Visit&& visit) {
  Adam& adam = state.adam;
  visit("optimizer.first_moment", adam.first_moment);
  visit("optimizer.second_moment", adam.second_moment);
  visit("optimizer.steps", adam.steps);
  visit("optimizer.skipped", adam.skipped);
  visit("optimizer.skipped_in_a_row", adam.skipped_in_a_row);
  visit("mean_improvement", state.mean_improvement);
}

/// K has no tensor: a run may continue with another one.
void check_network(const SealedFile& file, policy::Architecture expected, const std::string& path) {
  const policy::Architecture stored = parse_train_config(file.text("config"), path).architecture();
  expected.max_moves = stored.max_moves;
  if (stored != expected) throw InputError(path, 0, "the checkpoint's network differs from the one in the settings");
}

}  // namespace

void save_checkpoint(const std::string& path, const TrainConfig& config, LearningState& state,
                     const CheckpointInfo& info) {
  SafeTensors content;
  content.tensors = state.parameters.actor_weights().tensors("actor.");
  content.tensors.merge(state.parameters.critic_weights().tensors("critic."));
  visit_state(state, [&](const char* name, torch::Tensor& tensor) { content.tensors[name] = to_io(tensor); });
  content.metadata = {{"config", format_train_config(config)},
                      {"batches_done", fmt::format("{}", info.batches_done)},
                      {"updates", fmt::format("{}", state.updates)},
                      {"best_validation", fmt::format("{}", info.best_validation)},
                      {"seconds", fmt::format("{}", info.seconds)}};
  write_sealed_file(path, std::move(content), kKind);
}

CheckpointInfo load_checkpoint(const std::string& path, LearningState& state) {
  const SealedFile file = SealedFile::read(path, kKind);
  check_network(file, state.parameters.architecture(), path);
  CheckpointInfo info;
  info.batches_done = file.whole("batches_done");
  info.best_validation = file.number("best_validation");
  info.seconds = file.number("seconds");
  const auto updates = static_cast<std::int64_t>(file.number("updates"));
  policy::Weights actor = state.parameters.actor_weights(), critic = state.parameters.critic_weights();
  actor.assign(file.tensors(), "actor.", path);
  critic.assign(file.tensors(), "critic.", path);
  std::vector<torch::Tensor> tensors;
  visit_state(state, [&](const char* name, torch::Tensor& tensor) {
    tensors.push_back(from_io(file.tensors(), name, tensor, path));
  });
  // Everything was read: nothing below throws for what is in the file.
  state.updates = updates;
  state.parameters.set_actor(actor);
  state.parameters.set_critic(critic);
  auto next = tensors.begin();
  visit_state(state, [&](const char*, torch::Tensor& tensor) { tensor.copy_(*next++); });
  return info;
}

}  // namespace neuopt::train
