#include "backends/cuda/evaluation.h"

#include <algorithm>
#include <map>

#include "backends/cuda/size_batch.h"
#include "backends/network_input.h"

namespace neuopt::backends::cuda {
namespace {

using Inputs = std::vector<const policy::NetworkInput*>;

/// States of one size on the device, as far as decoding recorded choices needs them.
class RecordedStates {
 public:
  RecordedStates(PreparedModel& model, std::span<const policy::NetworkInput* const> inputs, cudaStream_t stream) {
    const policy::Architecture& architecture = model.architecture();
    const auto count = inputs.size(), nodes = static_cast<std::size_t>(inputs.front()->nodes);
    std::vector<std::int32_t> orders, positions, recorded;
    std::vector<float> features, exploration;
    std::vector<env::SearchState> states;
    for (const policy::NetworkInput* input : inputs) {
      const InputTour tour(*input);
      orders.insert(orders.end(), input->order.begin(), input->order.end());
      positions.insert(positions.end(), tour.position().begin(), tour.position().end());
      const auto width = static_cast<std::size_t>(architecture.features());
      for (const int node : input->order) {  // rows in tour order
        const auto row = input->features.subspan(static_cast<std::size_t>(node) * width, width);
        features.insert(features.end(), row.begin(), row.end());
      }
      exploration.insert(exploration.end(), input->exploration.begin(), input->exploration.end());
      const std::vector<std::int32_t> choices = recorded_positions(architecture, *input);
      recorded.insert(recorded.end(), choices.begin(), choices.end());
      env::SearchState state{};
      state.status.previous_anchor = input->previous_anchor;
      state.status.cost = input->above_best;  // above a best cost of 0
      states.push_back(state);
    }
    order_ = {orders, stream};
    position_ = {positions, stream};
    recorded_ = {recorded, stream};
    features_ = {features, stream};
    exploration_ = {exploration, stream};
    states_ = {states, stream};
    choices_ = DeviceArray<std::int32_t>(recorded.size());
    move_input_ = DeviceArray<std::int32_t>(count);
    edge_input_ = DeviceArray<std::int32_t>(count);
    logits_ = DeviceArray<float>(recorded.size() * nodes);
    batch_.searches.copies = static_cast<int>(count);
    batch_.searches.nodes = static_cast<int>(nodes);
    batch_.searches.states = states_.data();
    batch_.searches.order = order_.data();
    batch_.searches.position = position_.data();
    batch_.run_as(architecture);
    batch_.prospect_weights = model.prospect_weights();
    batch_.network_features = features_.data();
    batch_.choices = choices_.data();
    batch_.move_input = move_input_.data();
    batch_.edge_input = edge_input_.data();
  }

  void run(BatchNetwork& network, cudaStream_t stream) const {
    const NetworkTask task{batch_.searches.copies, features_.data(), exploration_.data(), batch_.move_input,
                           batch_.edge_input};
    network.encode(task);
    for (int k = 0; k < batch_.max_moves; ++k) {
      network.advance_streams(task, k);
      sample_and_step(batch_, k, network.score_nodes(task), logits_.data(), recorded_.data(), stream);
    }
  }

  std::vector<float> logits(cudaStream_t stream) const { return logits_.download(stream); }  // (B, K, N) tour order

 private:
  /// (K) positions; 0 after the E-move. Throws InputError when a choice is not legal.
  static std::vector<std::int32_t> recorded_positions(const policy::Architecture& architecture,
                                                      const policy::NetworkInput& input) {
    InputTour tour(input);
    ActionBuilder builder(architecture, tour.view(), input.previous_anchor, input.features);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(architecture.max_moves), 0);
    while (builder.open()) {
      const int k = builder.step(), node = recorded_choice(input, builder, k);
      positions[static_cast<std::size_t>(k)] = tour.position()[static_cast<std::size_t>(node)];
      builder.choose(node);
    }
    return positions;
  }

  DeviceArray<std::int32_t> order_, position_, recorded_, choices_, move_input_, edge_input_;
  DeviceArray<float> features_, exploration_, logits_;
  DeviceArray<env::SearchState> states_;
  DeviceBatch batch_{};
};

/// One state's results in node order; log-probability and entropy follow from the logits.
policy::NetworkOutput to_output(const policy::Architecture& architecture, const policy::NetworkInput& input,
                                std::span<const float> embeddings, std::span<const float> logits) {
  const auto nodes = static_cast<std::size_t>(input.nodes), dim = static_cast<std::size_t>(architecture.dim);
  InputTour tour(input);
  policy::NetworkOutput output;
  for (const int position : tour.position()) {
    const auto row = embeddings.subspan(static_cast<std::size_t>(position) * dim, dim);
    output.embeddings.insert(output.embeddings.end(), row.begin(), row.end());
  }
  output.logits.assign(static_cast<std::size_t>(architecture.max_moves) * nodes, 0.0);
  ActionBuilder builder(architecture, tour.view(), input.previous_anchor, input.features);
  while (builder.open()) {
    const auto k = static_cast<std::size_t>(builder.step());
    const std::span<double> row(output.logits.data() + k * nodes, nodes);
    for (std::size_t p = 0; p < nodes; ++p)
      row[static_cast<std::size_t>(input.order[p])] = static_cast<double>(logits[k * nodes + p]);
    const int choice = recorded_choice(input, builder, builder.step());
    add_decision(row, choice, architecture.max_moves, output);
    builder.choose(choice);
  }
  return output;
}

/// Inputs of one size, as many at once as fit.
std::vector<policy::NetworkOutput> evaluate_size(const std::shared_ptr<PreparedModel>& model, bool half,
                                                 const Inputs& inputs) {
  const policy::Architecture& architecture = model->architecture();
  const int nodes = inputs.front()->nodes;
  const Stream stream;
  int capacity = 0;
  const auto network = make_fitting_network(model, half, nodes, static_cast<int>(inputs.size()), 0.5, stream, capacity);
  std::vector<policy::NetworkOutput> outputs;
  for (std::size_t first = 0; first < inputs.size(); first += static_cast<std::size_t>(capacity)) {
    const std::size_t count = std::min(static_cast<std::size_t>(capacity), inputs.size() - first);
    const auto part = std::span(inputs).subspan(first, count);
    const RecordedStates states(*model, part, stream);
    states.run(*network, stream);
    const std::vector<float> logits = states.logits(stream), embeddings = network->embeddings(static_cast<int>(count));
    const std::size_t width = embeddings.size() / count, moves = logits.size() / count;
    for (std::size_t i = 0; i < count; ++i)
      outputs.push_back(to_output(architecture, *part[i], std::span(embeddings).subspan(i * width, width),
                                  std::span(logits).subspan(i * moves, moves)));
  }
  return outputs;
}

}  // namespace

std::vector<policy::NetworkOutput> evaluate_inputs(const std::shared_ptr<PreparedModel>& model,
                                                   std::span<const policy::NetworkInput> inputs,
                                                   const std::string& wanted_precision, std::string& precision,
                                                   std::string& fallback_reason) {
  std::map<int, Inputs> by_size;
  for (const policy::NetworkInput& input : inputs) by_size[input.nodes].push_back(&input);
  std::vector<policy::NetworkOutput> outputs(inputs.size());
  for (const auto& [nodes, members] : by_size) {
    const PrecisionChoice choice = choose_precision(wanted_precision, model->architecture(), nodes);
    precision = choice.half ? "fp16" : "fp32";
    fallback_reason = choice.reason;
    std::vector<policy::NetworkOutput> results = evaluate_size(model, choice.half, members);
    for (std::size_t i = 0; i < members.size(); ++i)
      outputs[static_cast<std::size_t>(members[i] - inputs.data())] = std::move(results[i]);
  }
  return outputs;
}

}  // namespace neuopt::backends::cuda
