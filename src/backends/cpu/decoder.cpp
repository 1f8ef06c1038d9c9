#include "backends/cpu/decoder.h"

#include <algorithm>

#include "policy/logits.h"

namespace neuopt::backends::cpu {

Decoder::Decoder(std::shared_ptr<const Network> network, const Kernels& kernels)
    : network_(std::move(network)), kernels_(kernels) {}

/// Row `index` of an array (2 streams, capacity, blocks * width).
float* Decoder::row(AlignedFloats& values, int stream, int index, int blocks) {
  return values.data() + (static_cast<std::size_t>(stream) * capacity_ + index) * blocks * network_->width;
}

void Decoder::decode(std::span<const DecoderInput> inputs, const Chooser& choose) {
  start(inputs);
  for (bool first = true; !active_.empty(); first = false) {
    advance_streams(first);
    choose_nodes(inputs, choose);
    drop_closed(inputs);
  }
}

/// Both streams start from the projected mean of the embeddings and read one learned vector.
void Decoder::start(std::span<const DecoderInput> inputs) {
  const Network& net = *network_;
  const int tours = static_cast<int>(inputs.size());
  if (tours > capacity_) {
    capacity_ = tours;
    const std::size_t rows = static_cast<std::size_t>(2 * tours) * net.width;
    for (AlignedFloats* values : {&hidden_, &input_, &last_layer_}) values->resize(rows);
    for (AlignedFloats* values : {&input_gates_, &hidden_gates_}) values->resize(3 * rows);
    queries_.resize(2 * rows);
  }
  active_.resize(inputs.size());
  for (int i = 0; i < tours; ++i) {
    active_[i] = i;
    const DecoderInput& input = inputs[static_cast<std::size_t>(i)];
    float* mean = row(input_, 0, i);
    kernels_.column_sums(input.embeddings, net.width, input.tour.nodes, net.width, mean);
    for (int c = 0; c < net.width; ++c) mean[c] /= static_cast<float>(input.tour.nodes);
    float* last = last_layer_.data() + static_cast<std::size_t>(2 * i) * net.width;
    if (net.architecture.exploration_features)
      net.last_layer_from(input.exploration, last);
    else
      std::copy(net.last_layer.begin(), net.last_layer.end(), last);
  }
  kernels_.matmul(product(row(input_, 0, 0), net.width, tours, net.initial_hidden, row(hidden_, 0, 0), net.width));
  std::copy_n(row(hidden_, 0, 0), tours * net.width, row(hidden_, 1, 0));
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < tours; ++i) std::copy(net.first_input.begin(), net.first_input.end(), row(input_, s, i));
}

/// One step of each stream: the inputs are read and the queries made.
void Decoder::advance_streams(bool first) {
  const Network& net = *network_;
  const int rows = static_cast<int>(active_.size()), width = net.width;
  for (int s = 0; s < 2; ++s) {
    const Stream& stream = net.streams[s];
    if (!stream.enabled) {
      std::fill_n(row(queries_, s, 0, 2), 2 * rows * width, 0.0f);
      continue;
    }
    const float* query = row(hidden_, s, 0);
    if (net.architecture.recurrent) {
      // The first input is the same for all tours.
      kernels_.matmul(product(row(input_, s, 0), width, first ? 1 : rows, stream.input_gates,
                              row(input_gates_, s, 0, 3), 3 * width));
      kernels_.matmul(
          product(row(hidden_, s, 0), width, rows, stream.hidden_gates, row(hidden_gates_, s, 0, 3), 3 * width));
      for (int i = 0; i < rows; ++i)
        kernels_.gru(row(input_gates_, s, first ? 0 : i, 3), row(hidden_gates_, s, i, 3), width, row(hidden_, s, i));
    } else {  // the query is the initial state plus the input
      float* sum = row(input_, s, 0);
      for (int c = 0; c < rows * width; ++c) sum[c] += query[c];
      query = sum;
    }
    kernels_.matmul(product(query, width, rows, stream.queries, row(queries_, s, 0, 2), 2 * width));
  }
}

void Decoder::choose_nodes(std::span<const DecoderInput> inputs, const Chooser& choose) {
  const Network& net = *network_;
  for (int i = 0; i < static_cast<int>(active_.size()); ++i) {
    const int item = active_[i];
    const DecoderInput& input = inputs[static_cast<std::size_t>(item)];
    positions_.clear();
    for (int p = 0; p < input.tour.nodes; ++p)
      if (input.action->allows(input.tour.order[p])) positions_.push_back(p);
    logits_.assign(positions_.size(), 0.0f);
    if (input.action->step() > 0 || !net.architecture.random_start_move) {
      kernels_.node_scores({input.keys,
                            {row(queries_, 0, i, 2), row(queries_, 1, i, 2)},
                            last_layer_.data() + static_cast<std::size_t>(2 * item) * net.width,
                            net.width,
                            positions_.data(),
                            static_cast<int>(positions_.size()),
                            logits_.data()});
      if (net.architecture.prospects) add_prospects(input);
      kernels_.tanh(logits_.data(), static_cast<int>(logits_.size()));
      for (float& logit : logits_) logit *= static_cast<float>(net.architecture.logit_bound);
    }
    input.action->choose(choose(item, positions_, logits_));
    if (!input.action->open()) continue;
    const int read[2] = {input.action->move_input(), input.action->edge_input()};
    for (int s = 0; s < 2; ++s)
      std::copy_n(input.embeddings + static_cast<std::size_t>(input.tour.position[read[s]]) * net.width, net.width,
                  row(input_, s, i));
  }
}

/// To the scores of the legal choices.
void Decoder::add_prospects(const DecoderInput& input) {
  const env::StepProspects prospects = input.action->prospects();
  for (std::size_t i = 0; i < positions_.size(); ++i)
    logits_[i] += env::prospect_score(env::told_prospect(prospects, positions_[i]), prospects.state.above,
                                      input.action->step(), network_->prospects.data());
}

/// Moves the rows of the tours that are still open to the front.
void Decoder::drop_closed(std::span<const DecoderInput> inputs) {
  int kept = 0;
  for (int i = 0; i < static_cast<int>(active_.size()); ++i) {
    if (!inputs[static_cast<std::size_t>(active_[i])].action->open()) continue;
    for (int s = 0; s < 2 && kept < i; ++s) {
      std::copy_n(row(hidden_, s, i), network_->width, row(hidden_, s, kept));
      std::copy_n(row(input_, s, i), network_->width, row(input_, s, kept));
    }
    active_[kept++] = active_[i];
  }
  active_.resize(static_cast<std::size_t>(kept));
}

}  // namespace neuopt::backends::cpu
