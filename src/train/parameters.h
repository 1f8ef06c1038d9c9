// The parameters of policy and critic as leaf tensors in one flat buffer, their gradients in a second one: zeroing,
// norms and Adam are a handful of operations on flat tensors, and nothing of an update waits for the device.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "policy/architecture.h"
#include "policy/weights.h"

namespace neuopt::train {

/// A stretch of the flat buffers that belongs to one network.
struct Segment {
  std::int64_t first = 0, count = 0;

  torch::Tensor of(const torch::Tensor& flat) const { return flat.narrow(0, first, count); }
};

class Parameters {
 public:
  /// All zeros. Without a critic there are the policy's parameters alone.
  Parameters(const policy::Architecture& architecture, torch::Device device, bool with_critic = true);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// Uniform within policy::initial_bound; a pure function of the seed.
  void initialize(std::uint64_t seed);

  /// A parameter by its name with the network before it: "actor.decoder.linear_V1".
  const torch::Tensor& operator[](const std::string& name) const;
  /// (rows, features): the weights of prospects; undefined in a network without.
  torch::Tensor prospect_table() const;
  /// Its gradient, a view of grad().
  torch::Tensor gradient(const std::string& name) const { return (*this)[name].grad(); }

  void zero_gradients() { grad_.zero_(); }
  void set_gradients(const torch::Tensor& flat) { grad_.copy_(flat); }

  torch::Tensor& flat() { return flat_; }
  const torch::Tensor& flat() const { return flat_; }
  const torch::Tensor& grad() const { return grad_; }
  Segment actor() const { return actor_; }
  Segment critic() const { return critic_; }  // empty where there is none
  bool has_critic() const { return critic_.count > 0; }
  const policy::Architecture& architecture() const { return architecture_; }

  /// Copies to and from the host.
  policy::Weights actor_weights() const { return actor_weights(actor_.of(flat_)); }
  policy::Weights actor_weights(const torch::Tensor& flat_actor) const;  // of other values of the policy's parameters
  policy::Weights critic_weights() const;
  void set_actor(const policy::Weights& weights);
  void set_critic(const policy::Weights& weights);

 private:
  Segment add_network(const std::string& prefix, const std::vector<policy::TensorSpec>& specs, std::int64_t first);

  policy::Architecture architecture_;
  torch::Tensor flat_, grad_;  // (P) float
  Segment actor_, critic_;
  std::map<std::string, torch::Tensor> views_;
};

}  // namespace neuopt::train
