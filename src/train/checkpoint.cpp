#include "train/checkpoint.h"

#include <fmt/format.h>

#include <cstring>

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

void from_io(const NamedTensors& tensors, const std::string& name, torch::Tensor& into, const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(path, 0, fmt::format("tensor {} is missing", name));
  const torch::Tensor expected = into.detach().to(torch::kCPU).contiguous();
  if (found->second.shape != expected.sizes().vec() ||
      found->second.bytes.size() != static_cast<std::size_t>(expected.nbytes()))
    throw InputError(path, 0, fmt::format("tensor {} does not fit the network", name));
  std::memcpy(expected.data_ptr(), found->second.bytes.data(), found->second.bytes.size());
  into.copy_(expected);
}

/// Calls visit(name, tensor) for every tensor of the state besides the weights.
template <class Visit>
void visit_state(Learner& learner, Visit&& visit) {
  Adam& adam = learner.adam();
  visit("optimizer.first_moment", adam.first_moment);
  visit("optimizer.second_moment", adam.second_moment);
  visit("optimizer.steps", adam.steps);
  visit("optimizer.skipped", adam.skipped);
  visit("optimizer.skipped_in_a_row", adam.skipped_in_a_row);
  visit("mean_improvement", learner.mean_improvement());
}

std::string checksum_of(const SafeTensors& content) {
  Checksum checksum;
  for (const auto& [name, tensor] : content.tensors) {
    checksum.add(name);
    checksum.add(tensor.bytes.data(), tensor.bytes.size());
  }
  return fmt::format("{:016x}", checksum.value());
}

double read_number(const SafeTensors& content, const char* key, const std::string& path) {
  const auto found = content.metadata.find(key);
  const auto value = found == content.metadata.end() ? std::nullopt : parse_number(found->second);
  if (!value) throw InputError(path, 0, fmt::format("damaged checkpoint: no valid '{}' in its metadata", key));
  return *value;
}

}  // namespace

void save_checkpoint(const std::string& path, const TrainConfig& config, Learner& learner, const CheckpointInfo& info) {
  SafeTensors content;
  content.tensors = learner.parameters().actor_weights().tensors("actor.");
  content.tensors.merge(learner.parameters().critic_weights().tensors("critic."));
  visit_state(learner, [&](const char* name, torch::Tensor& tensor) { content.tensors[name] = to_io(tensor); });
  content.metadata = {{"format", kFormat},
                      {"config", format_train_config(config)},
                      {"batches_done", fmt::format("{}", info.batches_done)},
                      {"updates", fmt::format("{}", learner.updates)},
                      {"best_validation", fmt::format("{}", info.best_validation)},
                      {"seconds", fmt::format("{}", info.seconds)},
                      {"checksum", checksum_of(content)}};
  write_safetensors(path, content);
}

CheckpointInfo load_checkpoint(const std::string& path, Learner& learner) {
  const SafeTensors content = read_safetensors(path);
  const auto format = content.metadata.find("format");
  if (format == content.metadata.end() || format->second != kFormat) throw InputError(path, 0, "not a checkpoint");
  const auto checksum = content.metadata.find("checksum");
  if (checksum == content.metadata.end() || checksum->second != checksum_of(content))
    throw InputError(path, 0, "damaged checkpoint: its checksum is wrong");
  CheckpointInfo info;
  info.batches_done = static_cast<int>(read_number(content, "batches_done", path));
  info.best_validation = read_number(content, "best_validation", path);
  info.seconds = read_number(content, "seconds", path);
  learner.updates = static_cast<std::int64_t>(read_number(content, "updates", path));
  policy::Weights actor = learner.parameters().actor_weights(), critic = learner.parameters().critic_weights();
  actor.assign(content.tensors, "actor.", path);
  critic.assign(content.tensors, "critic.", path);
  learner.parameters().set_actor(actor);
  learner.parameters().set_critic(critic);
  visit_state(learner, [&](const char* name, torch::Tensor& tensor) { from_io(content.tensors, name, tensor, path); });
  return info;
}

}  // namespace neuopt::train
