#include "train/parameters.h"

#include <fmt/format.h>

#include <vector>

#include "core/error.h"
#include "core/philox.h"

namespace neuopt::train {
namespace {

/// A tensor of its own on a part of the storage of `flat`, so that autograd does not see a view.
torch::Tensor part_of(const torch::Tensor& flat, std::int64_t first, const std::vector<std::int64_t>& shape) {
  torch::Tensor part = torch::empty({0}, flat.options());
  part.set_(flat.storage(), first, shape);
  return part;
}

policy::Weights to_weights(const torch::Tensor& part, std::vector<policy::TensorSpec> specs) {
  policy::Weights weights(std::move(specs));
  const torch::Tensor host = part.detach().to(torch::kCPU).contiguous();
  std::copy_n(host.data_ptr<float>(), weights.flat().size(), weights.flat().begin());
  return weights;
}

void from_weights(torch::Tensor part, const policy::Weights& weights) {
  TORCH_CHECK(part.size(0) == static_cast<std::int64_t>(weights.flat().size()), "weights of another network");
  const torch::NoGradGuard no_grad;
  part.copy_(torch::from_blob(const_cast<float*>(weights.flat().data()), {part.size(0)}, torch::kFloat32));
}

/// Numbers of one network; `network` keeps the two apart.
void draw_weights(policy::Weights& weights, const Random& random, std::uint32_t network) {
  std::uint32_t tensor_number = 0;
  for (const policy::TensorSpec& spec : weights.specs()) {
    const float bound = policy::initial_bound(spec);
    std::uint32_t element = 0;
    for (float& value : weights[spec.name]) {
      const Philox4 words = random.words(Draw::policy, network, tensor_number, element++, 0);
      value = bound * (2.0f * uniform_float(words.word[0]) - 1.0f);
    }
    ++tensor_number;
  }
}

}  // namespace

Parameters::Parameters(const policy::Architecture& architecture, torch::Device device, bool with_critic)
    : architecture_(architecture) {
  const auto actor_specs = policy::policy_tensors(architecture);
  const auto critic_specs = with_critic ? policy::critic_tensors(architecture) : std::vector<policy::TensorSpec>{};
  const std::int64_t total = policy::parameter_count(actor_specs) + policy::parameter_count(critic_specs);
  const auto options = torch::dtype(torch::kFloat32).device(device);
  flat_ = torch::zeros({total}, options);
  grad_ = torch::zeros({total}, options);
  actor_ = add_network("actor.", actor_specs, 0);
  critic_ = add_network("critic.", critic_specs, actor_.count);
}

Segment Parameters::add_network(const std::string& prefix, const std::vector<policy::TensorSpec>& specs,
                                std::int64_t first) {
  Segment segment{first, 0};
  for (const policy::TensorSpec& spec : specs) {
    torch::Tensor view = part_of(flat_, first + segment.count, spec.shape);
    view.set_requires_grad(true);
    view.mutable_grad() = part_of(grad_, first + segment.count, spec.shape);
    views_.emplace(prefix + spec.name, view);
    segment.count += spec.count();
  }
  return segment;
}

void Parameters::initialize(std::uint64_t seed) {
  const Random random{seed};
  policy::Weights actor(policy::policy_tensors(architecture_));
  draw_weights(actor, random, 0);
  set_actor(actor);
  if (!has_critic()) return;
  policy::Weights critic(policy::critic_tensors(architecture_));
  draw_weights(critic, random, 1);
  set_critic(critic);
}

torch::Tensor Parameters::prospect_table() const {
  if (!architecture_.prospects) return {};
  return (*this)[fmt::format("actor.{}", policy::kProspectTable)];
}

const torch::Tensor& Parameters::operator[](const std::string& name) const {
  const auto found = views_.find(name);
  if (found == views_.end()) throw InputError("the network has no parameter " + name);
  return found->second;
}

policy::Weights Parameters::actor_weights(const torch::Tensor& flat_actor) const {
  return to_weights(flat_actor, policy::policy_tensors(architecture_));
}

policy::Weights Parameters::critic_weights() const {
  return to_weights(critic_.of(flat_), policy::critic_tensors(architecture_));
}

void Parameters::set_actor(const policy::Weights& weights) { from_weights(actor_.of(flat_), weights); }
void Parameters::set_critic(const policy::Weights& weights) { from_weights(critic_.of(flat_), weights); }

}  // namespace neuopt::train
