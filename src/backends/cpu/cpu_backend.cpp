#include "backends/cpu/cpu_backend.h"

#include <algorithm>
#include <atomic>

#include "backends/cpu/cpu_session.h"
#include "backends/model_cache.h"
#include "backends/network_input.h"
#include "core/error.h"
#include "core/parallel.h"
#include "policy/logits.h"

namespace neuopt::backends::cpu {
namespace {

/// Logits, log-probability and entropy of recorded choices.
class Recorder {
 public:
  Recorder(const policy::NetworkInput& input, const backends::ActionBuilder& action, int max_moves,
           policy::NetworkOutput& output)
      : input_(input), action_(action), max_moves_(max_moves), output_(output) {
    output_.logits.assign(static_cast<std::size_t>(max_moves) * input.nodes, 0.0);
  }

  int choose(std::span<const int> positions, std::span<const float> logits) {
    const int k = action_.step();
    const int choice = backends::recorded_choice(input_, action_, k);
    double* row = output_.logits.data() + static_cast<std::size_t>(k) * input_.nodes;
    std::fill(row, row + input_.nodes, static_cast<double>(policy::kIllegalLogit));
    for (std::size_t i = 0; i < positions.size(); ++i) row[input_.order[positions[i]]] = logits[i];
    backends::add_decision({row, static_cast<std::size_t>(input_.nodes)}, choice, max_moves_, output_);
    return choice;
  }

 private:
  const policy::NetworkInput& input_;
  const backends::ActionBuilder& action_;
  int max_moves_;
  policy::NetworkOutput& output_;
};

class CpuBackend final : public policy::Backend {
 public:
  CpuBackend(int threads, const std::string& instruction_set)
      : threads_(resolve_threads(threads)), kernels_(kernels_for(instruction_set.c_str())) {}

  /// With the precision of what ran last, where it is not the usual one.
  std::string name() const override { return std::string("cpu (") + kernels_.name + (half_ ? ", bf16)" : ")"); }

  std::unique_ptr<policy::Session> open(std::shared_ptr<const policy::Model> model,
                                        std::span<const policy::Copy> copies,
                                        const policy::SessionOptions& options) override {
    const std::string& precision = options.precision;
    const bool half = precision == "bf16";
    if (!half && !precision.empty() && precision != "fp32")
      throw InputError("the cpu backend computes in fp32 or bf16, not in " + precision);
    if (half && kernels_.matmul_half == nullptr) throw ResourceError("this processor has no bf16 products");
    half_ = half;
    return std::make_unique<CpuSession>(network_of(model, half), kernels_, half, copies, options);
  }

  double session_bytes(const std::shared_ptr<const policy::Model>& model, int nodes, int copies,
                       const policy::SessionOptions& options) override {
    return CpuSession::bytes(*network_of(model, options.precision == "bf16"), nodes, copies, options);
  }

  std::vector<policy::NetworkOutput> evaluate(const policy::Model& model,
                                              std::span<const policy::NetworkInput> inputs) override {
    half_ = false;
    const auto network = std::make_shared<const Network>(model, false);
    std::vector<policy::NetworkOutput> outputs(inputs.size());
    parallel_for(static_cast<int>(inputs.size()), threads_, [&](int item, int) {
      outputs[static_cast<std::size_t>(item)] = evaluate_one(network, inputs[static_cast<std::size_t>(item)]);
    });
    return outputs;
  }

 private:
  std::shared_ptr<const Network> network_of(const std::shared_ptr<const policy::Model>& model, bool half) {
    return networks_[half ? 1 : 0].get(model, [&] { return std::make_shared<const Network>(*model, half); });
  }

  policy::NetworkOutput evaluate_one(const std::shared_ptr<const Network>& network,
                                     const policy::NetworkInput& input) const {
    const int width = network->width, dim = network->architecture.dim;
    backends::InputTour tour(input);
    NodeCache cache;
    Encoder encoder(network, kernels_, false);
    AlignedFloats embeddings(static_cast<std::size_t>(input.nodes) * width);
    AlignedFloats keys(embeddings.size() * 4);
    encoder.encode(input.features, input.order, cache, embeddings.data());
    encoder.write_keys(embeddings.data(), input.nodes, keys.data());

    policy::NetworkOutput output;
    output.embeddings.reserve(static_cast<std::size_t>(input.nodes) * dim);
    for (const int position : tour.position()) {
      const float* row = embeddings.data() + static_cast<std::size_t>(position) * width;
      output.embeddings.insert(output.embeddings.end(), row, row + dim);
    }
    backends::ActionBuilder action(network->architecture, tour.view(), input.previous_anchor, input.features,
                                   {input.above_best});
    Recorder recorder(input, action, network->architecture.max_moves, output);
    const DecoderInput decoded{embeddings.data(), keys.data(), tour.view(), input.exploration.data(), &action};
    Decoder(network, kernels_)
        .decode(std::span(&decoded, 1), [&](int, std::span<const int> positions, std::span<float> logits) {
          return recorder.choose(positions, logits);
        });
    return output;
  }

  int threads_;
  const Kernels& kernels_;
  std::atomic<bool> half_ = false;                   // what ran last computed in bf16
  backends::ModelCache<const Network> networks_[2];  // in single precision, with products in bf16
};

}  // namespace

std::unique_ptr<policy::Backend> make_cpu_backend(int threads, const std::string& instruction_set) {
  return std::make_unique<CpuBackend>(threads, instruction_set);
}

std::unique_ptr<policy::Backend> make_cpu_backend(int threads) { return make_cpu_backend(threads, ""); }

}  // namespace neuopt::backends::cpu
