#include "backends/reference/reference_backend.h"

#include <fmt/format.h>

#include <map>

#include "backends/copy_state.h"
#include "backends/network_input.h"
#include "backends/reference/decoder.h"
#include "backends/reference/encoder.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kopt/draw.h"

namespace neuopt::backends::reference {
namespace {

/// Encoders by the number of nodes: their positional scores are the same for all tours of one size.
using Encoders = std::map<int, Encoder>;

class ReferenceSession final : public CopySession {
 public:
  ReferenceSession(std::shared_ptr<const policy::Model> model, std::span<const policy::Copy> copies,
                   const policy::SessionOptions& options)
      : CopySession(copies, model->architecture, options),
        model_(std::move(model)),
        threads_(resolve_threads(options.threads)) {
    for (const CopyState& copy : copies_) encoders_.try_emplace(copy.nodes(), *model_, copy.nodes());
  }

  int advance(int steps, const std::atomic<bool>* stop) override {
    int taken = 0;
    for (; taken < steps && !(stop != nullptr && *stop); ++taken) {
      ++steps_taken_;
      parallel_for(copies(), threads_, [&](int copy, int) {
        step(copies_[static_cast<std::size_t>(copy)]);
        copies_[static_cast<std::size_t>(copy)].look_after(steps_taken_);
      });
      report_step();
    }
    return taken;
  }

 private:
  /// 1. what the network sees, 2. encoder, 3. decoder, each choice drawn, 4. the exchange.
  void step(CopyState& copy) const {
    const policy::Architecture& architecture = model_->architecture;
    std::vector<float> features(static_cast<std::size_t>(copy.nodes()) * architecture.features());
    copy.write_features(features.data());
    std::vector<float> exploration(env::kExplorationFeatures);
    copy.write_exploration(exploration.data());

    const Matrix embeddings = encoders_.at(copy.nodes()).encode(features, copy.position());
    ActionBuilder builder(architecture, copy.tour(), copy.previous_anchor(), features, copy.standing());
    decode(*model_, embeddings, exploration, builder, [&](int k, std::span<const double> probability) {
      return kopt::draw_index(SerialLanes{}, copy.nodes(), copy.uniform(k),
                              [&](int node) { return probability[static_cast<std::size_t>(node)]; })
          .index;
    });
    copy.take(builder.action(), builder.chosen());
  }

  std::shared_ptr<const policy::Model> model_;
  int threads_;
  Encoders encoders_;
};

class ReferenceBackend final : public policy::Backend {
 public:
  explicit ReferenceBackend(int threads) : threads_(resolve_threads(threads)) {}

  std::string name() const override { return "reference"; }

  std::unique_ptr<policy::Session> open(std::shared_ptr<const policy::Model> model,
                                        std::span<const policy::Copy> copies,
                                        const policy::SessionOptions& options) override {
    if (!options.precision.empty() && options.precision != "fp64")
      throw InputError("the reference backend computes in fp64, not in " + options.precision);
    return std::make_unique<ReferenceSession>(std::move(model), copies, options);
  }

  double session_bytes(const std::shared_ptr<const policy::Model>& model, int nodes, int copies,
                       const policy::SessionOptions& options) override {
    return CopyState::bytes(model->architecture.problem, nodes, options) * copies;
  }

  std::vector<policy::NetworkOutput> evaluate(const policy::Model& model,
                                              std::span<const policy::NetworkInput> inputs) override {
    Encoders encoders;
    for (const policy::NetworkInput& input : inputs) encoders.try_emplace(input.nodes, model, input.nodes);
    std::vector<policy::NetworkOutput> outputs(inputs.size());
    parallel_for(static_cast<int>(inputs.size()), threads_, [&](int item, int) {
      outputs[static_cast<std::size_t>(item)] = evaluate_one(model, encoders, inputs[static_cast<std::size_t>(item)]);
    });
    return outputs;
  }

 private:
  static policy::NetworkOutput evaluate_one(const policy::Model& model, const Encoders& encoders,
                                            const policy::NetworkInput& input) {
    InputTour tour(input);
    const Matrix embeddings = encoders.at(input.nodes).encode(input.features, tour.position());
    ActionBuilder builder(model.architecture, tour.view(), input.previous_anchor, input.features, {input.above_best});
    Decoding decoding = decode(model, embeddings, input.exploration, builder,
                               [&](int k, std::span<const double>) { return recorded_choice(input, builder, k); });
    return {embeddings.values, std::move(decoding.logits), decoding.log_prob, decoding.entropy};
  }

  int threads_;
};

}  // namespace

std::unique_ptr<policy::Backend> make_reference_backend(int threads) {
  return std::make_unique<ReferenceBackend>(threads);
}

}  // namespace neuopt::backends::reference
