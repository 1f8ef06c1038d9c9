#include "backends/cuda/single_weights.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "backends/cuda/products.h"
#include "policy/positional_encoding.h"

namespace neuopt::backends::cuda {
namespace {

/// Collects arrays on the host; pointers are to be had once all are on the device.
class Collector {
 public:
  using Place = std::pair<const float**, std::size_t>;

  /// `pointer` will point to the values of these tensors, one after the other.
  void add(const float*& pointer, std::initializer_list<std::span<const float>> tensors) {
    places_.emplace_back(&pointer, values_.size());
    for (const std::span<const float> tensor : tensors) values_.insert(values_.end(), tensor.begin(), tensor.end());
  }

  DeviceArray<float> upload(cudaStream_t stream) const {
    DeviceArray<float> array(values_, stream);
    for (const auto& [pointer, offset] : places_) *pointer = array.data() + offset;
    return array;
  }

 private:
  std::vector<Place> places_;
  std::vector<float> values_;
};

/// Projections stored as (H, d, head_dim), side by side: (d, tensors * d).
std::vector<float> side_by_side(std::initializer_list<std::span<const float>> tensors, const policy::Architecture& a) {
  const std::size_t dim = static_cast<std::size_t>(a.dim), head_dim = static_cast<std::size_t>(a.head_dim());
  const std::size_t width = tensors.size() * dim;
  std::vector<float> result(dim * width);
  std::size_t first = 0;
  for (const std::span<const float> tensor : tensors) {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const std::size_t head = i / (dim * head_dim), input = i / head_dim % dim, column = i % head_dim;
      result[input * width + first + head * head_dim + column] = tensor[i];
    }
    first += dim;
  }
  return result;
}

void collect_layer(Collector& collector, const policy::Model& model, int number, SingleWeights::Layer& layer) {
  const policy::Weights& w = model.weights;
  const std::string attention = fmt::format("encoder.{}.MHA_sublayer.MHA.", number);
  const std::string feed_forward = fmt::format("encoder.{}.FFandNorm_sublayer.FF.", number);
  collector.add(
      layer.query_key_value,
      {side_by_side({w[attention + "W_query"], w[attention + "W_key"], w[attention + "W_val"]}, model.architecture)});
  collector.add(layer.output, {w[attention + "W_out"]});
  collector.add(layer.feed_forward1, {w[feed_forward + "0.weight"]});
  collector.add(layer.feed_forward2, {w[feed_forward + "2.weight"]});
  collector.add(layer.mixer.weight1, {w[attention + "score_aggr.0.weight"]});
  collector.add(layer.mixer.bias1, {w[attention + "score_aggr.0.bias"]});
  collector.add(layer.mixer.weight2, {w[attention + "score_aggr.2.weight"]});
  collector.add(layer.mixer.bias2, {w[attention + "score_aggr.2.bias"]});
}

void collect_stream(Collector& collector, const policy::Weights& w, int number, SingleWeights::Stream& stream) {
  const std::string cell = fmt::format("decoder.rnn{}.", number);
  const auto query = [&](int matrix) { return w[fmt::format("decoder.linear_Q{}.weight", matrix)]; };
  collector.add(stream.input, {w[cell + "weight_ih"]});
  collector.add(stream.hidden, {w[cell + "weight_hh"]});
  collector.add(stream.input_bias, {w[cell + "bias_ih"]});
  collector.add(stream.hidden_bias, {w[cell + "bias_hh"]});
  collector.add(stream.queries, {query(number), query(number + 2)});
}

std::vector<double> to_double(const std::vector<float>& values) { return {values.begin(), values.end()}; }

}  // namespace

SingleWeights::SingleWeights(const policy::Model& model, cudaStream_t stream)
    : layers(static_cast<std::size_t>(model.architecture.layers)), readout(nullptr), hyper{} {
  const policy::Weights& w = model.weights;
  const std::string decoder = "decoder.";
  Collector collector;
  collector.add(embed1, {w["embedder.embedder.0.weight"]});
  collector.add(embed1_bias, {w["embedder.embedder.0.bias"]});
  collector.add(embed2, {w["embedder.embedder.2.weight"]});
  collector.add(embed2_bias, {w["embedder.embedder.2.bias"]});
  for (int i = 0; i < model.architecture.layers; ++i)
    collect_layer(collector, model, i, layers[static_cast<std::size_t>(i)]);
  collector.add(decoder_keys, {w[decoder + "linear_K1.weight"], w[decoder + "linear_K3.weight"],
                               w[decoder + "linear_K2.weight"], w[decoder + "linear_K4.weight"]});
  collector.add(initial_hidden, {w[decoder + "init_hidden_W.weight"]});
  collector.add(initial_hidden_bias, {w[decoder + "init_hidden_W.bias"]});
  collector.add(first_input, {w[decoder + "init_query_learnable"]});
  collect_stream(collector, w, 1, streams[0]);
  collect_stream(collector, w, 2, streams[1]);
  if (model.architecture.exploration_features) {
    collector.add(hyper.weight1, {w[decoder + "meta_linear.0.weight"]});
    collector.add(hyper.bias1, {w[decoder + "meta_linear.0.bias"]});
    collector.add(hyper.weight2, {w[decoder + "meta_linear.2.weight"]});
    collector.add(hyper.bias2, {w[decoder + "meta_linear.2.bias"]});
  } else {
    collector.add(readout, {w[decoder + "linear_V1"], w[decoder + "linear_V2"]});
  }
  values_ = collector.upload(stream);
}

DeviceArray<float> make_position_scores(const policy::Model& model, int nodes, cudaStream_t stream) {
  const policy::Architecture& a = model.architecture;
  const int dim = a.dim, head_dim = a.head_dim();
  const long pairs = static_cast<long>(nodes) * nodes;
  const DeviceArray<double> encoding(policy::cyclic_positional_encoding(nodes, dim), stream);
  const DeviceArray<double> weights(
      to_double(side_by_side({model.weights["pos_encoder.W_query"], model.weights["pos_encoder.W_key"]}, a)), stream);
  const DeviceArray<double> projected(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(2 * dim));
  const DeviceArray<double> one_head(static_cast<std::size_t>(pairs));
  DeviceArray<float> scores(static_cast<std::size_t>(a.heads) * static_cast<std::size_t>(pairs));
  multiply<double>({1, nodes, 2 * dim, dim}, {encoding.data(), dim}, {weights.data(), 2 * dim},
                   {projected.data(), 2 * dim}, 0, stream);
  for (int head = 0; head < a.heads; ++head) {
    const double* query = projected.data() + head * head_dim;
    multiply<double>({1, nodes, nodes, head_dim}, {query, 2 * dim}, {query + dim, 1, 2 * dim}, {one_head.data(), nodes},
                     0, stream);
    to_single(pairs, one_head.data(), scores.data() + head * pairs, stream);
  }
  check_cuda(cudaStreamSynchronize(stream), "positional scores");  // before the arrays above go
  return scores;
}

}  // namespace neuopt::backends::cuda
