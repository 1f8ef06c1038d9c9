#include "backends/reference/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "backends/reference/gru.h"
#include "policy/logits.h"

namespace neuopt::backends::reference {
namespace {

constexpr double kIllegal = policy::kIllegalLogit;

std::span<const float> matrix_of(const policy::Model& model, char kind, int number) {
  return model.weights[fmt::format("decoder.linear_{}{}.weight", kind, number)];
}

/// v1 and v2, one after the other: learned, or made from the ES features by the hypernetwork.
Vector readouts(const policy::Model& model, std::span<const float> exploration) {
  const policy::Weights& weights = model.weights;
  if (model.architecture.exploration_features) {
    const Vector features(exploration.begin(), exploration.end());
    Vector hidden = linear(features, weights["decoder.meta_linear.0.weight"], weights["decoder.meta_linear.0.bias"]);
    relu(hidden);
    return linear(hidden, weights["decoder.meta_linear.2.weight"], weights["decoder.meta_linear.2.bias"]);
  }
  const std::span<const float> first = weights["decoder.linear_V1"], second = weights["decoder.linear_V2"];
  Vector both(first.begin(), first.end());
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

/// Both streams of the decoder, as far as the architecture has them.
class Streams {
 public:
  Streams(const policy::Model& model, const Matrix& embeddings, std::span<const float> exploration)
      : embeddings_(embeddings) {
    if (model.architecture.prospects) prospect_weights_ = model.weights[policy::kProspectTable];
    const policy::Weights& weights = model.weights;
    const Vector initial =
        linear(row_mean(embeddings), weights["decoder.init_hidden_W.weight"], weights["decoder.init_hidden_W.bias"]);
    const Vector readout = readouts(model, exploration);
    const auto half = readout.begin() + model.architecture.dim;
    if (model.architecture.move_stream) move_.emplace(model, 1, embeddings, initial, Vector(readout.begin(), half));
    if (model.architecture.edge_stream) edge_.emplace(model, 2, embeddings, initial, Vector(half, readout.end()));
    const std::span<const float> learned = weights["decoder.init_query_learnable"];
    first_input_.assign(learned.begin(), learned.end());
  }

  /// Reads the inputs of the next step and returns the logits of all nodes, within the bound.
  Vector next_logits(const ActionBuilder& builder, double bound) {
    const bool first = builder.step() == 0;
    if (move_) move_->read(first ? std::span<const double>(first_input_) : embeddings_.row(builder.move_input()));
    if (edge_) edge_->read(first ? std::span<const double>(first_input_) : embeddings_.row(builder.edge_input()));
    std::optional<env::StepProspects> prospects;
    if (!prospect_weights_.empty()) prospects = builder.prospects();
    Vector logits(static_cast<std::size_t>(embeddings_.rows));
    for (int node = 0; node < embeddings_.rows; ++node) {
      double score = (move_ ? move_->score(node) : 0.0) + (edge_ ? edge_->score(node) : 0.0);
      if (prospects)
        score += env::prospect_score(env::told_prospect(*prospects, builder.position_of(node)), prospects->state.above,
                                     builder.step(), prospect_weights_.data());
      logits[node] = bound * std::tanh(score);
    }
    return logits;
  }

 private:
  const Matrix& embeddings_;
  Vector first_input_;
  std::optional<Stream> move_, edge_;
  std::span<const float> prospect_weights_;  // empty in a network without
};

/// Softmax over the logits of the legal choices; 0 elsewhere, also where logits are not numbers.
Vector probabilities(const Vector& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Vector result;
  double sum = 0;
  for (const double logit : logits) sum += result.emplace_back(logit == kIllegal ? 0.0 : std::exp(logit - largest));
  for (double& value : result)
    if (value != 0) value /= sum;
  return result;
}

double entropy_of(const Vector& probability) {
  double sum = 0;
  for (const double p : probability)
    if (p > 0) sum -= p * std::log(p);
  return sum;
}

}  // namespace

Stream::Stream(const policy::Model& model, int number, const Matrix& embeddings, Vector initial, Vector readout)
    : model_(model),
      number_(number),
      additive_(linear(embeddings, matrix_of(model, 'K', number))),
      multiplicative_(linear(embeddings, matrix_of(model, 'K', number + 2))),
      hidden_(std::move(initial)),
      readout_(std::move(readout)) {}

void Stream::read(std::span<const double> input) {
  Vector query = hidden_;
  if (model_.architecture.recurrent) {
    hidden_ = query = gru_cell(model_, fmt::format("decoder.rnn{}", number_), input, hidden_);
  } else {
    for (std::size_t i = 0; i < query.size(); ++i) query[i] += input[i];
  }
  additive_query_ = linear(query, matrix_of(model_, 'Q', number_));
  multiplicative_query_ = linear(query, matrix_of(model_, 'Q', number_ + 2));
}

double Stream::score(int node) const {
  double sum = 0;
  for (int c = 0; c < additive_.cols; ++c)
    sum += readout_[c] *
           std::tanh(additive_(node, c) + additive_query_[c] + multiplicative_(node, c) * multiplicative_query_[c]);
  return sum;
}

Decoding decode(const policy::Model& model, const Matrix& embeddings, std::span<const float> exploration,
                ActionBuilder& builder, const Chooser& choose) {
  const int nodes = embeddings.rows, steps = model.architecture.max_moves;
  Streams streams(model, embeddings, exploration);
  Decoding result;
  result.logits.assign(static_cast<std::size_t>(steps) * nodes, 0.0);
  while (builder.open()) {
    const int k = builder.step();
    Vector logits = streams.next_logits(builder, model.architecture.bound_at(k));
    for (int node = 0; node < nodes; ++node)
      if (!builder.allows(node)) logits[node] = kIllegal;
    const Vector probability = probabilities(logits);
    const int node = choose(k, probability);
    result.log_prob += std::log(probability[node]);
    result.entropy += entropy_of(probability) / steps;
    std::copy(logits.begin(), logits.end(), result.logits.begin() + static_cast<std::ptrdiff_t>(k) * nodes);
    builder.choose(node);
  }
  return result;
}

}  // namespace neuopt::backends::reference
