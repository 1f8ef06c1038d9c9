// The positional scores of the encoder, one table for each number of nodes.
#include <cmath>

#include "backends/cpu/network.h"
#include "policy/positional_encoding.h"

namespace neuopt::backends::cpu {
namespace {

/// Above this many nodes the folded tables (2H numbers for each layer and pair) are not kept but made row by row.
constexpr int kMostFoldedNodes = 400;

/// (N, head size) = E (N, d) times one head's matrix (d, head size).
std::vector<double> project(const std::vector<double>& encoding, int nodes, int dim, const float* matrix, int size) {
  std::vector<double> result(static_cast<std::size_t>(nodes) * size, 0.0);
  for (int p = 0; p < nodes; ++p)
    for (int c = 0; c < dim; ++c)
      for (int j = 0; j < size; ++j)
        result[static_cast<std::size_t>(p) * size + j] +=
            encoding[static_cast<std::size_t>(p) * dim + c] * matrix[static_cast<std::size_t>(c) * size + j];
  return result;
}

/// The first mixer layer's bracket for one layer: positional half times scores, plus bias.
AlignedFloats fold(const PositionTable& table, const EncoderLayer& layer, int heads) {
  const auto stride = static_cast<std::size_t>(table.padded_nodes);
  AlignedFloats folded(table.nodes * 2 * heads * stride);
  for (int p = 0; p < table.nodes; ++p)
    for (int j = 0; j < 2 * heads; ++j)
      for (std::size_t q = 0; q < stride; ++q) {
        double sum = layer.hidden_bias[j];
        for (int h = 0; h < heads; ++h)
          sum += static_cast<double>(layer.positional_weights[j * heads + h]) *
                 table.positional[(static_cast<std::size_t>(p) * heads + h) * stride + q];
        const std::size_t block = (static_cast<std::size_t>(p) * stride + q) / kBlock;
        folded[(block * 2 * heads + j) * kBlock + q % kBlock] = static_cast<float>(sum);
      }
  return folded;
}

}  // namespace

std::shared_ptr<const PositionTable> Network::table(int nodes) const {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const PositionTable>& known = tables_[nodes];
  if (known) return known;

  const int heads = architecture.heads, dim = architecture.dim, size = architecture.head_dim();
  auto table = std::make_shared<PositionTable>();
  table->nodes = nodes;
  table->padded_nodes = round_up(nodes, kBlock);
  const auto stride = static_cast<std::size_t>(table->padded_nodes);
  table->positional.assign(nodes * heads * stride, 0.0f);
  const std::vector<double> encoding = policy::cyclic_positional_encoding(nodes, dim);
  for (int h = 0; h < heads; ++h) {
    const auto offset = static_cast<std::size_t>(h) * dim * size;
    const std::vector<double> query = project(encoding, nodes, dim, position_query_.data() + offset, size);
    const std::vector<double> key = project(encoding, nodes, dim, position_key_.data() + offset, size);
    for (int p = 0; p < nodes; ++p)
      for (int q = 0; q < nodes; ++q) {
        double sum = 0;
        for (int c = 0; c < size; ++c)
          sum += query[static_cast<std::size_t>(p) * size + c] * key[static_cast<std::size_t>(q) * size + c];
        table->positional[(static_cast<std::size_t>(p) * heads + h) * stride + q] = static_cast<float>(sum);
      }
  }
  if (nodes <= kMostFoldedNodes) {
    for (const EncoderLayer& layer : layers) table->folded.push_back(fold(*table, layer, heads));
    table->positional = {};
  }
  known = table;
  return known;
}

}  // namespace neuopt::backends::cpu
