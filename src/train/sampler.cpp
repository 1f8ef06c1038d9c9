#include "train/sampler.h"

#include <string>

#include "train/device.h"

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
#include "backends/cuda/batch_network.h"
#endif

namespace neuopt::train {
namespace {

/// The network that learns.
class LearningNetworkSampler final : public Sampler {
 public:
  explicit LearningNetworkSampler(const PolicyNetwork& policy) : policy_(policy) {}

  void take_weights() override {}  // sample() reads the parameters themselves

  void sample(const Observation& observation, const SampleKey& key, torch::Tensor choices,
              torch::Tensor log_prob) override {
    const torch::NoGradGuard no_grad;
    policy_.sample(policy_.prepare(), observation, key, std::move(choices), std::move(log_prob));
  }

 private:
  const PolicyNetwork& policy_;
};

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
/// The solver's network.
class SolverNetworkSampler final : public Sampler {
 public:
  SolverNetworkSampler(const PolicyNetwork& policy, const Parameters& parameters, int nodes, int batch)
      : policy_(policy),
        parameters_(parameters),
        network_(backends::cuda::make_changing_network(parameters.architecture(), nodes, batch,
                                                       static_cast<cudaStream_t>(current_stream()))) {
    const torch::Tensor inputs =
        torch::zeros({2, batch}, torch::dtype(torch::kInt32).device(parameters.flat().device()));
    move_input_ = inputs.select(0, 0);
    edge_input_ = inputs.select(0, 1);
  }

  void take_weights() override {
    const torch::NoGradGuard no_grad;
    const torch::Tensor scores = policy_.position_scores().contiguous();
    network_->load(parameters_.actor().of(parameters_.flat()).data_ptr<float>(), scores.data_ptr<float>());
  }

  void sample(const Observation& observation, const SampleKey& key, torch::Tensor choices,
              torch::Tensor log_prob) override {
    const torch::NoGradGuard no_grad;
    TORCH_CHECK(observation.features.is_contiguous() && observation.exploration.is_contiguous() &&
                log_prob.is_contiguous() && choices.size(0) <= move_input_.size(0));
    const policy::Architecture& architecture = parameters_.architecture();
    const backends::cuda::NetworkTask task{
        static_cast<int>(choices.size(0)), observation.features.data_ptr<float>(),
        architecture.exploration_features ? observation.exploration.data_ptr<float>() : nullptr,
        move_input_.data_ptr<std::int32_t>(), edge_input_.data_ptr<std::int32_t>()};
    log_prob.zero_();
    network_->encode(task);
    for (int k = 0; k < architecture.max_moves; ++k) {
      network_->advance_streams(task, k);
      sample_choice(architecture, observation, network_->score_nodes(task), parameters_.prospect_table(), k, key,
                    choices, log_prob, move_input_, edge_input_);
    }
  }

 private:
  const PolicyNetwork& policy_;
  const Parameters& parameters_;
  std::unique_ptr<backends::cuda::ChangingNetwork> network_;
  torch::Tensor move_input_, edge_input_;  // (B) int32: what the streams read next
};
#endif

}  // namespace

std::unique_ptr<Sampler> make_sampler(const PolicyNetwork& policy, [[maybe_unused]] const Parameters& parameters,
                                      [[maybe_unused]] int nodes, [[maybe_unused]] int batch,
                                      [[maybe_unused]] bool half_allowed) {
#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
  std::string reason;
  if (half_allowed && parameters.flat().is_cuda() &&
      backends::cuda::half_supported(parameters.architecture(), nodes, reason))
    return std::make_unique<SolverNetworkSampler>(policy, parameters, nodes, batch);
#endif
  return std::make_unique<LearningNetworkSampler>(policy);
}

}  // namespace neuopt::train
