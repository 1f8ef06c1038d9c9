// The network in single precision: matrix products with small kernels between them.
#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/batch_network.h"
#include "backends/cuda/products.h"
#include "backends/cuda/single_kernels.h"
#include "backends/cuda/single_weights.h"

namespace neuopt::backends::cuda {
namespace {

/// Values of a row that several stages use in turn: Q, K, V; feed-forward; decoder keys.
int wide_width(const policy::Architecture& a) { return std::max(4 * a.dim, a.feed_forward); }

/// Values of a copy besides its rows: mean, states, inputs and queries of both streams, gates, output weights.
int copy_values(const policy::Architecture& a) { return a.dim * (1 + 2 + 2 + 6 + 4 + 2); }

class SingleNetwork final : public BatchNetwork {
 public:
  SingleNetwork(std::shared_ptr<PreparedModel> model, int nodes, int capacity, cudaStream_t stream)
      : model_(std::move(model)),
        a_(model_->architecture()),
        nodes_(nodes),
        capacity_(capacity),
        stream_(stream),
        weights_(model_->single()),
        position_scores_(model_->single_positions(nodes)) {
    const auto copies = static_cast<std::size_t>(capacity), dim = static_cast<std::size_t>(a_.dim);
    const std::size_t rows = copies * static_cast<std::size_t>(nodes);
    embeddings_ = DeviceArray<float>(rows * dim);
    attended_ = DeviceArray<float>(rows * dim);
    wide_ = DeviceArray<float>(rows * static_cast<std::size_t>(wide_width(a_)));
    attention_ = DeviceArray<float>(rows * static_cast<std::size_t>(a_.heads * nodes));
    mean_ = DeviceArray<float>(copies * dim);
    states_ = DeviceArray<float>(2 * copies * dim);
    inputs_ = DeviceArray<float>(2 * copies * dim);
    input_gates_ = DeviceArray<float>(3 * copies * dim);
    hidden_gates_ = DeviceArray<float>(3 * copies * dim);
    queries_ = DeviceArray<float>(4 * copies * dim);
    readouts_ = DeviceArray<float>(a_.exploration_features ? 2 * copies * dim : 0);
    scores_ = DeviceArray<float>(rows);
  }

  void encode(const NetworkTask& task) override {
    const int rows = task.copies * nodes_, dim = a_.dim;
    float* x = embeddings_.data();
    embed_hidden(rows, a_.features(), dim / 2, task.features, weights_.embed1, weights_.embed1_bias, wide_.data(),
                 stream_);
    linear(rows, dim / 2, dim, wide_.data(), weights_.embed2, x, dim);
    add_bias(rows, dim, weights_.embed2_bias, x, stream_);
    for (const SingleWeights::Layer& layer : weights_.layers) {
      attend(task.copies, layer);
      product(rows, dim, dim, attended_.data(), layer.output, x, 1);
      normalise(task.copies, static_cast<long>(nodes_) * dim, x, stream_);
      linear(rows, dim, a_.feed_forward, x, layer.feed_forward1, wide_.data(), a_.feed_forward);
      relu(static_cast<long>(rows) * a_.feed_forward, wide_.data(), stream_);
      linear(rows, a_.feed_forward, dim, wide_.data(), layer.feed_forward2, x, dim, 1);
      normalise(task.copies, static_cast<long>(nodes_) * dim, x, stream_);
    }
    linear(rows, dim, 4 * dim, x, weights_.decoder_keys, wide_.data(), 4 * dim);
    start_decoding(task);
  }

  void advance_streams(const NetworkTask& task, int k) override {
    const int dim = a_.dim, copies = task.copies;
    for (int s = 0; s < 2; ++s) {
      if (!enabled(s)) continue;
      const SingleWeights::Stream& w = weights_.streams[s];
      float* state = states_.data() + stream_offset(s);
      float* input = inputs_.data() + stream_offset(s);
      gather_rows(copies, nodes_, dim, embeddings_.data(),
                  k == 0 ? nullptr : (s == 0 ? task.move_input : task.edge_input), weights_.first_input, input,
                  stream_);
      const float* query = state;
      if (a_.recurrent) {
        linear(copies, dim, 3 * dim, input, w.input, input_gates_.data(), 3 * dim);
        linear(copies, dim, 3 * dim, state, w.hidden, hidden_gates_.data(), 3 * dim);
        update_gru(copies, dim, input_gates_.data(), hidden_gates_.data(), w.input_bias, w.hidden_bias, state, stream_);
      } else {
        add(static_cast<long>(copies) * dim, state, input, input, stream_);
        query = input;
      }
      linear(copies, dim, 2 * dim, query, w.queries, queries_.data() + s * 2 * dim, 4 * dim);
    }
  }

  float* score_nodes(const NetworkTask& task) override {
    const bool own = a_.exploration_features;
    score_streams({task.copies,
                   nodes_,
                   a_.dim,
                   {a_.move_stream, a_.edge_stream},
                   wide_.data(),
                   queries_.data(),
                   own ? readouts_.data() : weights_.readout,
                   own ? 2L * a_.dim : 0L},
                  scores_.data(), stream_);
    return scores_.data();
  }

  std::vector<float> embeddings(int copies) const override {
    return embeddings_.download(
        static_cast<std::size_t>(copies) * static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(a_.dim),
        stream_);
  }

 private:
  bool enabled(int s) const { return s == 0 ? a_.move_stream : a_.edge_stream; }
  long stream_offset(int s) const { return static_cast<long>(s) * capacity_ * a_.dim; }

  /// y (rows, outputs) = x (rows, inputs) times the transpose of weight (outputs, inputs), plus `keep` times the old y,
  /// whose rows begin y_stride values apart.
  void linear(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, int y_stride,
              float keep = 0) {
    multiply<float>({1, rows, outputs, inputs}, {x, inputs}, {weight, 1, inputs}, {y, y_stride}, keep, stream_);
  }

  /// The same with weight (inputs, outputs).
  void product(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, float keep = 0) {
    multiply<float>({1, rows, outputs, inputs}, {x, inputs}, {weight, outputs}, {y, outputs}, keep, stream_);
  }

  /// Synthesis attention up to the output projection: softmax(mix(Q K^T, positions)) V, head by head.
  void attend(int copies, const SingleWeights::Layer& layer) {
    const int dim = a_.dim, head_dim = a_.head_dim(), wide = 3 * dim;
    const long rows = static_cast<long>(nodes_) * wide, pairs = static_cast<long>(nodes_) * nodes_;
    product(copies * nodes_, dim, wide, embeddings_.data(), layer.query_key_value, wide_.data());
    const auto part = [&](int kind, int head) { return wide_.data() + kind * dim + head * head_dim; };
    const auto weights_of = [&](int head) { return attention_.data() + head * pairs; };
    for (int head = 0; head < a_.heads; ++head)
      multiply<float>({copies, nodes_, nodes_, head_dim}, {part(0, head), wide, 1, rows},
                      {part(1, head), 1, wide, rows}, {weights_of(head), nodes_, 1, a_.heads * pairs}, 0, stream_);
    mix_softmax(copies, nodes_, a_.heads, position_scores_->data(), layer.mixer, attention_.data(), stream_);
    for (int head = 0; head < a_.heads; ++head)
      multiply<float>({copies, nodes_, head_dim, nodes_}, {weights_of(head), nodes_, 1, a_.heads * pairs},
                      {part(2, head), wide, 1, rows},
                      {attended_.data() + head * head_dim, dim, 1, static_cast<long>(nodes_) * dim}, 0, stream_);
  }

  /// Both streams start from the projected mean of the embeddings.
  void start_decoding(const NetworkTask& task) {
    const int dim = a_.dim, copies = task.copies;
    mean_rows(copies, nodes_, dim, embeddings_.data(), mean_.data(), stream_);
    for (int s = 0; s < 2; ++s) {
      float* state = states_.data() + stream_offset(s);
      linear(copies, dim, dim, mean_.data(), weights_.initial_hidden, state, dim);
      add_bias(copies, dim, weights_.initial_hidden_bias, state, stream_);
    }
    if (a_.exploration_features)
      make_readouts(copies, dim, task.exploration, weights_.hyper, readouts_.data(), stream_);
  }

  std::shared_ptr<PreparedModel> model_;
  policy::Architecture a_;
  int nodes_, capacity_;
  cudaStream_t stream_;
  const SingleWeights& weights_;
  std::shared_ptr<const DeviceArray<float>> position_scores_;  // (H, N, N)
  DeviceArray<float> embeddings_;                              // (B, N, d)
  DeviceArray<float> attended_;                                // (B, N, d)
  DeviceArray<float> wide_;             // (B, N, 3d) Q, K, V; (B, N, feed_forward); at last (B, N, 4d) decoder keys
  DeviceArray<float> attention_;        // (B, H, N, N)
  DeviceArray<float> mean_;             // (B, d)
  DeviceArray<float> states_, inputs_;  // (2, B, d) of mu and lambda
  DeviceArray<float> input_gates_, hidden_gates_;  // (B, 3d)
  DeviceArray<float> queries_;                     // (B, 4d)
  DeviceArray<float> readouts_;                    // (B, 2d), with ES features
  DeviceArray<float> scores_;                      // (B, N)
};

}  // namespace

NetworkMemory single_memory(const policy::Architecture& a, int nodes) {
  const auto n = static_cast<std::size_t>(nodes);
  const std::size_t row = static_cast<std::size_t>(2 * a.dim + wide_width(a) + 1);
  const std::size_t pairs = static_cast<std::size_t>(a.heads) * n * n;
  const std::size_t weights = static_cast<std::size_t>(policy::parameter_count(policy::policy_tensors(a)));
  // Besides: the positional scores, and a table in double while they are made.
  return {sizeof(float) * (n * row + pairs + static_cast<std::size_t>(copy_values(a))),
          sizeof(float) * (pairs + weights) + sizeof(double) * n * n};
}

std::unique_ptr<BatchNetwork> make_single_network(std::shared_ptr<PreparedModel> model, int nodes, int capacity,
                                                  cudaStream_t stream) {
  return std::make_unique<SingleNetwork>(std::move(model), nodes, capacity, stream);
}

}  // namespace neuopt::backends::cuda
