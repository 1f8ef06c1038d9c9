#include "train/checkpoint.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "core/checksum.h"
#include "core/error.h"
#include "core/text.h"
#include "io/safetensors.h"

namespace neuopt::train {
namespace {

constexpr const char* kFormat = "neuopt-checkpoint";

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

/// Of the metadata (but the checksum itself) and of every tensor.
std::string checksum_of(const SafeTensors& content) {
  Checksum checksum;
  for (const auto& [key, value] : content.metadata)
    if (key != "checksum") checksum.add(key + "=" + value + "\n");
  for (const auto& [name, tensor] : content.tensors) {
    checksum.add(name);
    checksum.add(tensor.bytes.data(), tensor.bytes.size());
  }
  return fmt::format("{:016x}", checksum.value());
}

const std::string& required(const SafeTensors& content, const char* key, const std::string& path) {
  const auto found = content.metadata.find(key);
  if (found == content.metadata.end())
    throw InputError(path, 0, fmt::format("damaged checkpoint: its metadata have no '{}'", key));
  return found->second;
}

double read_number(const SafeTensors& content, const char* key, const std::string& path) {
  const auto value = parse_number(required(content, key, path));
  if (!value) throw InputError(path, 0, fmt::format("damaged checkpoint: no valid '{}' in its metadata", key));
  return *value;
}

void check_identity(const SafeTensors& content, const std::string& path) {
  const auto format = content.metadata.find("format");
  if (format == content.metadata.end() || format->second != kFormat) throw InputError(path, 0, "not a checkpoint");
  if (required(content, "checksum", path) != checksum_of(content))
    throw InputError(path, 0, "damaged checkpoint: its checksum is wrong");
}

/// K has no tensor: a run may continue with another one.
void check_network(const SafeTensors& content, policy::Architecture expected, const std::string& path) {
  const policy::Architecture stored = parse_train_config(required(content, "config", path), path).architecture();
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
  content.metadata = {{"format", kFormat},
                      {"config", format_train_config(config)},
                      {"batches_done", fmt::format("{}", info.batches_done)},
                      {"updates", fmt::format("{}", state.updates)},
                      {"best_validation", fmt::format("{}", info.best_validation)},
                      {"seconds", fmt::format("{}", info.seconds)}};
  content.metadata["checksum"] = checksum_of(content);
  write_safetensors(path, content);
}

CheckpointInfo load_checkpoint(const std::string& path, LearningState& state) {
  const SafeTensors content = read_safetensors(path);
  check_identity(content, path);
  check_network(content, state.parameters.architecture(), path);
  CheckpointInfo info;
  info.batches_done = static_cast<int>(read_number(content, "batches_done", path));
  info.best_validation = read_number(content, "best_validation", path);
  info.seconds = read_number(content, "seconds", path);
  const auto updates = static_cast<std::int64_t>(read_number(content, "updates", path));
  policy::Weights actor = state.parameters.actor_weights(), critic = state.parameters.critic_weights();
  actor.assign(content.tensors, "actor.", path);
  critic.assign(content.tensors, "critic.", path);
  std::vector<torch::Tensor> tensors;
  visit_state(state, [&](const char* name, torch::Tensor& tensor) {
    tensors.push_back(from_io(content.tensors, name, tensor, path));
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
