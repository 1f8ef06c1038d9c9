#include "backends/cpu/encoder.h"

#include <algorithm>
#include <cstring>

namespace neuopt::backends::cpu {
namespace {

std::size_t count(long a, long b, long c = 1) { return static_cast<std::size_t>(a * b * c); }

}  // namespace

std::size_t NodeCache::bytes(const Network& network, int nodes) {
  return sizeof(float) * count(nodes, network.architecture.features() + network.width +
                                          3 * network.architecture.heads * network.head_width);
}

Encoder::Encoder(std::shared_ptr<const Network> network, const Kernels& kernels, bool half)
    : network_(std::move(network)), kernels_(kernels), half_(half) {}

void Encoder::reserve(int nodes) {
  if (table_ && table_->nodes == nodes) return;
  table_ = network_->table(nodes);
  const Network& net = *network_;
  const int heads = net.architecture.heads, padded = table_->padded_nodes;
  const int qkv = 3 * heads * net.head_width;
  const auto grow = [](AlignedFloats& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  };
  grow(query_key_value_, count(padded, qkv));
  grow(key_, count(heads, net.head_width, padded));
  grow(attended_, count(nodes, heads, net.head_width));
  grow(hidden_, count(nodes, net.layers.front().feed_forward_in.columns));
  grow(attention_scratch_, static_cast<std::size_t>(attention_scratch(padded, heads)));
  grow(changed_features_, count(nodes, net.embed_in.inner));
  grow(changed_hidden_, count(nodes, net.hidden_width));
  grow(changed_embedding_, count(nodes, net.width));
  grow(changed_query_key_value_, count(nodes, qkv));
}

void Encoder::multiply(Matmul product) {
  if (!half_) return kernels_.matmul(product);
  const std::size_t size = count(round_up(product.rows, 16), product.inner);
  if (half_rows_.size() < size) half_rows_.resize(size);
  product.a_half = half_rows_.data();
  kernels_.matmul_half(product);
}

void Encoder::encode(std::span<const float> features, std::span<const int> order, NodeCache& cache, float* embeddings) {
  const int nodes = static_cast<int>(order.size());
  reserve(nodes);
  refresh(features, cache);
  gather(order, cache, embeddings);
  for (int layer = 0; layer < network_->architecture.layers; ++layer) {
    attend(layer, nodes, embeddings);
    feed_forward(network_->layers[static_cast<std::size_t>(layer)], nodes, embeddings);
  }
}

void Encoder::refresh(std::span<const float> features, NodeCache& cache) {
  const Network& net = *network_;
  const int nodes = table_->nodes, inputs = net.architecture.features();
  const int qkv = 3 * net.architecture.heads * net.head_width;
  const bool fresh = cache.nodes != nodes;
  if (fresh) {
    cache.nodes = nodes;
    cache.features.assign(features.size(), 0.0f);
    cache.embedding.resize(count(nodes, net.width));
    cache.query_key_value.resize(count(nodes, qkv));
  }
  changed_.clear();
  for (int node = 0; node < nodes; ++node) {
    const float* now = features.data() + count(node, inputs);
    float* before = cache.features.data() + count(node, inputs);
    if (!fresh && std::memcmp(now, before, sizeof(float) * inputs) == 0) continue;
    std::copy(now, now + inputs, before);
    std::copy(now, now + inputs,
              changed_features_.data() + count(static_cast<long>(changed_.size()), net.embed_in.inner));
    changed_.push_back(node);
  }
  if (changed_.empty()) return;

  const int rows = static_cast<int>(changed_.size());
  Matmul product = cpu::product(changed_features_.data(), net.embed_in.inner, rows, net.embed_in,
                                changed_hidden_.data(), net.hidden_width);
  product.relu = true;
  kernels_.matmul(product);
  kernels_.matmul(cpu::product(changed_hidden_.data(), net.hidden_width, rows, net.embed_out, changed_embedding_.data(),
                               net.width));
  multiply(cpu::product(changed_embedding_.data(), net.width, rows, net.layers.front().query_key_value,
                        changed_query_key_value_.data(), qkv));
  for (int row = 0; row < rows; ++row) {
    const int node = changed_[static_cast<std::size_t>(row)];
    std::copy_n(changed_embedding_.data() + count(row, net.width), net.width,
                cache.embedding.data() + count(node, net.width));
    std::copy_n(changed_query_key_value_.data() + count(row, qkv), qkv,
                cache.query_key_value.data() + count(node, qkv));
  }
}

void Encoder::gather(std::span<const int> order, const NodeCache& cache, float* embeddings) {
  const Network& net = *network_;
  const int nodes = table_->nodes, blocks = 3 * net.architecture.heads, size = net.head_width;
  for (int p = 0; p < nodes; ++p) {
    const int node = order[static_cast<std::size_t>(p)];
    std::copy_n(cache.embedding.data() + count(node, net.width), net.width, embeddings + count(p, net.width));
    const float* from = cache.query_key_value.data() + count(node, blocks, size);
    for (int block = 0; block < blocks; ++block)
      std::copy_n(from + count(block, size), size,
                  query_key_value_.data() + count(block, nodes, size) + count(p, size));
  }
}

void Encoder::attend(int index, int nodes, float* x) {
  const Network& net = *network_;
  const EncoderLayer& layer = net.layers[static_cast<std::size_t>(index)];
  const int heads = net.architecture.heads, size = net.head_width, padded = table_->padded_nodes;
  float* query = query_key_value_.data();
  const float* value = query + count(2 * heads, nodes, size);
  if (index > 0) {  // the first layer's are gathered from the cache
    Matmul product = cpu::product(x, net.width, nodes, layer.query_key_value, query, size);
    product.c_block_panels = size / kPanel;  // each head on its own
    product.c_block_stride = static_cast<long>(nodes) * size;
    multiply(product);
  }
  for (int head = 0; head < heads; ++head)
    kernels_.transpose(query + count(heads + head, nodes, size), size, nodes, size,
                       key_.data() + count(head, size, padded), padded);

  Attention attention{};
  attention.nodes = nodes;
  attention.padded_nodes = padded;
  attention.heads = heads;
  attention.head_width = size;
  attention.query = query;
  attention.key = key_.data();
  attention.value = value;
  attention.folded = table_->folded.empty() ? nullptr : table_->folded[static_cast<std::size_t>(index)].data();
  attention.positional = table_->positional.data();
  attention.hidden_weights = layer.hidden_weights.data();
  attention.positional_weights = layer.positional_weights.data();
  attention.hidden_bias = layer.hidden_bias.data();
  attention.output_weights = layer.output_weights.data();
  attention.scratch = attention_scratch_.data();
  attention.out = attended_.data();
  kernels_.attention(attention);

  Matmul product = cpu::product(attended_.data(), heads * size, nodes, layer.output, x, net.width);
  product.accumulate = true;  // the residual
  multiply(product);
  kernels_.normalize(x, net.width, nodes, net.architecture.dim);
}

void Encoder::feed_forward(const EncoderLayer& layer, int nodes, float* x) {
  const Network& net = *network_;
  Matmul in = product(x, net.width, nodes, layer.feed_forward_in, hidden_.data(), layer.feed_forward_in.columns);
  in.relu = true;
  multiply(in);
  Matmul out = product(hidden_.data(), layer.feed_forward_in.columns, nodes, layer.feed_forward_out, x, net.width);
  out.accumulate = true;
  multiply(out);
  kernels_.normalize(x, net.width, nodes, net.architecture.dim);
}

void Encoder::write_keys(const float* embeddings, int nodes, float* keys) {
  multiply(product(embeddings, network_->width, nodes, network_->keys, keys, 4 * network_->width));
}

}  // namespace neuopt::backends::cpu
