#include "backends/reference/attention.h"

#include <algorithm>
#include <cmath>

#include "policy/positional_encoding.h"

namespace neuopt::backends::reference {
namespace {

void softmax_rows(Matrix& scores) {
  for (int row = 0; row < scores.rows; ++row) {
    const std::span<double> values = scores.row(row);
    const double largest = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (double& value : values) sum += value = std::exp(value - largest);
    for (double& value : values) value /= sum;
  }
}

/// weights (N, N) times values (N, m).
Matrix weighted_sum(const Matrix& weights, const Matrix& values) {
  Matrix result(weights.rows, values.cols);
  for (int i = 0; i < weights.rows; ++i)
    for (int j = 0; j < values.rows; ++j)
      for (int c = 0; c < values.cols; ++c) result(i, c) += weights(i, j) * values(j, c);
  return result;
}

/// Q K^T for each head, not scaled.
HeadScores query_key_scores(const policy::Model& model, const std::string& name, const Matrix& x) {
  const int heads = model.architecture.heads;
  HeadScores scores;
  for (int head = 0; head < heads; ++head) {
    const Matrix query = product(x, head_part(model.weights[name + ".W_query"], head, heads));
    const Matrix key = product(x, head_part(model.weights[name + ".W_key"], head, heads));
    scores.push_back(product_transposed(query, key));
  }
  return scores;
}

}  // namespace

std::span<const float> head_part(std::span<const float> tensor, int head, int heads) {
  const std::size_t size = tensor.size() / static_cast<std::size_t>(heads);
  return tensor.subspan(static_cast<std::size_t>(head) * size, size);
}

HeadScores positional_scores(const policy::Model& model, int nodes) {
  Matrix encoding(nodes, model.architecture.dim);
  encoding.values = policy::cyclic_positional_encoding(nodes, model.architecture.dim);
  return query_key_scores(model, "pos_encoder", encoding);
}

HeadScores mixed_scores(const policy::Model& model, const std::string& name, const Matrix& x,
                        const HeadScores& positional, std::span<const int> position) {
  const int heads = model.architecture.heads;
  const std::span<const float> weight0 = model.weights[name + ".score_aggr.0.weight"];
  const std::span<const float> bias0 = model.weights[name + ".score_aggr.0.bias"];
  const std::span<const float> weight2 = model.weights[name + ".score_aggr.2.weight"];
  const std::span<const float> bias2 = model.weights[name + ".score_aggr.2.bias"];
  HeadScores scores = query_key_scores(model, name, x);
  Vector pair(static_cast<std::size_t>(2 * heads));
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j < x.rows; ++j) {
      for (int head = 0; head < heads; ++head) {
        pair[head] = scores[head](i, j);
        pair[heads + head] = positional[head](position[i], position[j]);
      }
      Vector hidden = linear(pair, weight0, bias0);
      relu(hidden);
      const Vector mixed = linear(hidden, weight2, bias2);
      for (int head = 0; head < heads; ++head) scores[head](i, j) = mixed[head];
    }
  return scores;
}

Matrix synthesis_attention(const policy::Model& model, const std::string& name, const Matrix& x,
                           const HeadScores& positional, std::span<const int> position) {
  const int heads = model.architecture.heads;
  HeadScores scores = mixed_scores(model, name, x, positional, position);
  Matrix result(x.rows, x.cols);
  for (int head = 0; head < heads; ++head) {
    softmax_rows(scores[head]);
    const Matrix value = product(x, head_part(model.weights[name + ".W_val"], head, heads));
    const Matrix attended = weighted_sum(scores[head], value);
    add(result, product(attended, head_part(model.weights[name + ".W_out"], head, heads)));
  }
  return result;
}

}  // namespace neuopt::backends::reference
