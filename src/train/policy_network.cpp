#include "train/policy_network.h"

#include <string>

#include "env/prospects.h"
#include "policy/logits.h"
#include "policy/positional_encoding.h"
#include "train/decode_rows.h"
#include "train/half_ops.h"

namespace neuopt::train {
namespace {

PreparedPolicy::Stream prepare_stream(const Parameters& p, const std::string& cell, const std::string& bias_query,
                                      const std::string& gain_query) {
  return {p[cell + ".weight_ih"], p[cell + ".weight_hh"], p[cell + ".bias_ih"], p[cell + ".bias_hh"],
          torch::cat({p[bias_query + ".weight"], p[gain_query + ".weight"]}, 0).t()};
}

/// log_probs: (B, K, N), active: (B, K).
torch::Tensor mean_entropy(const torch::Tensor& log_probs, const torch::Tensor& active) {
  const torch::Tensor entropies = -(log_probs.exp() * log_probs.clamp_min(-100)).sum(-1);
  return (entropies * active).sum(1) / static_cast<double>(active.size(1));
}

LayerWeights prepare_layer(const Parameters& p, int number) {
  const std::string layer = "actor.encoder." + std::to_string(number);
  const std::string attention = layer + ".MHA_sublayer.MHA.", feed_forward = layer + ".FFandNorm_sublayer.FF.";
  const torch::Tensor output = p[attention + "W_out"];  // (H, head_dim, d)
  LayerWeights weights;
  weights.query_key_value =
      join_query_key_value(p[attention + "W_query"], p[attention + "W_key"], p[attention + "W_val"]);
  weights.output = output.view({output.size(0) * output.size(1), output.size(2)});
  weights.feed_forward1 = p[feed_forward + "0.weight"].t();
  weights.feed_forward2 = p[feed_forward + "2.weight"].t();
  weights.mixer = {p[attention + "score_aggr.0.weight"], p[attention + "score_aggr.0.bias"],
                   p[attention + "score_aggr.2.weight"], p[attention + "score_aggr.2.bias"]};
  return weights;
}

}  // namespace

PolicyNetwork::PolicyNetwork(const Parameters& parameters, int nodes, Precision precision)
    : parameters_(parameters), architecture_(parameters.architecture()), precision_(precision) {
  const std::vector<double> table = policy::cyclic_positional_encoding(nodes, architecture_.dim);
  encoding_ = torch::tensor(table, torch::kFloat64)
                  .view({nodes, architecture_.dim})
                  .to(parameters.flat().device(), torch::kFloat32);
}

torch::Tensor PolicyNetwork::position_scores() const {
  const torch::Tensor query = torch::matmul(encoding_, parameters_["actor.pos_encoder.W_query"]);  // (H, N, head_dim)
  const torch::Tensor key = torch::matmul(encoding_, parameters_["actor.pos_encoder.W_key"]);
  return torch::matmul(query, key.transpose(1, 2));
}

PreparedPolicy PolicyNetwork::prepare() const {
  const Parameters& p = parameters_;
  PreparedPolicy prepared;
  prepared.embed1 = p["actor.embedder.embedder.0.weight"].t();
  prepared.embed_bias1 = p["actor.embedder.embedder.0.bias"];
  prepared.embed2 = p["actor.embedder.embedder.2.weight"].t();
  prepared.embed_bias2 = p["actor.embedder.embedder.2.bias"];
  prepared.positions.scores = position_scores();
  if (precision_ == Precision::fp16) prepared.positions.table = half_position_table(prepared.positions.scores);
  for (int layer = 0; layer < architecture_.layers; ++layer) prepared.layers.push_back(prepare_layer(p, layer));
  const std::string decoder = "actor.decoder.";
  std::vector<torch::Tensor> keys;
  for (const char* name : {"K1", "K3", "K2", "K4"}) keys.push_back(p[decoder + "linear_" + name + ".weight"]);
  prepared.decoder_keys = torch::cat(keys, 0).t();
  prepared.move = prepare_stream(p, decoder + "rnn1", decoder + "linear_Q1", decoder + "linear_Q3");
  prepared.edge = prepare_stream(p, decoder + "rnn2", decoder + "linear_Q2", decoder + "linear_Q4");
  prepared.initial_hidden = p[decoder + "init_hidden_W.weight"].t();
  prepared.initial_hidden_bias = p[decoder + "init_hidden_W.bias"];
  prepared.first_input = p[decoder + "init_query_learnable"];
  if (architecture_.prospects) {
    std::vector<torch::Tensor> rows;
    for (int k = 0; k < architecture_.max_moves; ++k) rows.push_back(p.prospect_table()[env::prospect_row(k)]);
    prepared.prospects = torch::stack(rows);
  }
  if (architecture_.exploration_features) {
    prepared.hyper1 = p[decoder + "meta_linear.0.weight"].t();
    prepared.hyper_bias1 = p[decoder + "meta_linear.0.bias"];
    prepared.hyper2 = p[decoder + "meta_linear.2.weight"].t();
    prepared.hyper_bias2 = p[decoder + "meta_linear.2.bias"];
  } else {
    prepared.output_weights = torch::cat({p[decoder + "linear_V1"], p[decoder + "linear_V2"]}).unsqueeze(0);
  }
  return prepared;
}

torch::Tensor PolicyNetwork::encode(const PreparedPolicy& prepared, const torch::Tensor& features) const {
  // Coordinates and what is first made of them are never half numbers, though products may round to tf32: close nodes
  // must stay apart.
  torch::Tensor x = torch::relu(affine(features, prepared.embed1, prepared.embed_bias1));
  x = affine(x, prepared.embed2, prepared.embed_bias2);
  if (precision_ == Precision::fp16) x = x.to(torch::kFloat16);
  for (const LayerWeights& layer : prepared.layers)
    x = transformer_layer(x, layer, prepared.positions, architecture_.heads);
  return x;
}

torch::Tensor PolicyNetwork::output_weights(const PreparedPolicy& prepared, const torch::Tensor& exploration) const {
  torch::Tensor weights = prepared.output_weights;
  if (architecture_.exploration_features) {
    const torch::Tensor inner = torch::relu(affine(exploration, prepared.hyper1, prepared.hyper_bias1));
    weights = affine(inner, prepared.hyper2, prepared.hyper_bias2);
  }
  const int dim = architecture_.dim;
  if (!architecture_.move_stream)
    weights = torch::cat({torch::zeros_like(weights.narrow(1, 0, dim)), weights.narrow(1, dim, dim)}, 1);
  if (!architecture_.edge_stream)
    weights = torch::cat({weights.narrow(1, 0, dim), torch::zeros_like(weights.narrow(1, 0, dim))}, 1);
  return weights;
}

torch::Tensor PolicyNetwork::initial_state(const PreparedPolicy& prepared, const torch::Tensor& embeddings) const {
  return affine(embeddings.mean({1}, false, torch::kFloat32), prepared.initial_hidden, prepared.initial_hidden_bias);
}

torch::Tensor PolicyNetwork::next_state(const PreparedPolicy::Stream& stream, const torch::Tensor& input,
                                        const torch::Tensor& state, const torch::Tensor& initial) const {
  if (!architecture_.recurrent) return initial + input;
  return at::gru_cell(input, state, stream.weight_input, stream.weight_hidden, stream.bias_input, stream.bias_hidden);
}

/// States of a stream at all decoding steps: (B, K, d).
torch::Tensor PolicyNetwork::stream_states(const PreparedPolicy::Stream& stream, const torch::Tensor& first_input,
                                           const torch::Tensor& inputs, const torch::Tensor& initial) const {
  std::vector<torch::Tensor> states;
  torch::Tensor state = initial;
  for (std::int64_t k = 0; k <= inputs.size(1); ++k) {
    state = next_state(stream, k == 0 ? first_input.expand_as(initial) : inputs.select(1, k - 1), state, initial);
    states.push_back(state);
  }
  return torch::stack(states, 1);
}

torch::Tensor PolicyNetwork::logits(const PreparedPolicy& prepared, const torch::Tensor& embeddings,
                                    const DecodePlan& plan, const torch::Tensor& exploration) const {
  const std::int64_t later_steps = plan.move_input.size(1);
  const torch::Tensor initial = initial_state(prepared, embeddings);
  const torch::Tensor inputs =
      select_rows(embeddings, torch::cat({plan.move_input, plan.edge_input}, 1)).to(torch::kFloat32);
  const torch::Tensor move =
      stream_states(prepared.move, prepared.first_input, inputs.narrow(1, 0, later_steps), initial);
  const torch::Tensor edge =
      stream_states(prepared.edge, prepared.first_input, inputs.narrow(1, later_steps, later_steps), initial);
  const torch::Tensor queries =
      torch::cat({product(move, prepared.move.queries), product(edge, prepared.edge.queries)}, 2);
  const torch::Tensor keys = product(embeddings, prepared.decoder_keys);
  torch::Tensor scores = stream_scores(keys, queries, output_weights(prepared, exploration));
  if (architecture_.prospects)
    scores = scores + env::kProspectUnit * (plan.prospects * prepared.prospects.unsqueeze(1)).sum(-1);
  return architecture_.logit_bound * torch::tanh(scores);
}

Evaluation PolicyNetwork::evaluate(const PreparedPolicy& prepared, const torch::Tensor& embeddings,
                                   const DecodePlan& plan, const torch::Tensor& exploration,
                                   const torch::Tensor& choices, bool learn_entropy) const {
  torch::Tensor values = logits(prepared, embeddings, plan, exploration);
  if (architecture_.random_start_move)  // equal logits at the first step: its probability does not depend on weights
    values = torch::cat({torch::zeros_like(values.narrow(1, 0, 1)), values.narrow(1, 1, values.size(1) - 1)}, 1);
  const torch::Tensor log_probs =
      torch::log_softmax(values.masked_fill(plan.legal.logical_not(), policy::kIllegalLogit), -1);
  const torch::Tensor active = plan.active.to(torch::kFloat32);
  const torch::Tensor chosen = log_probs.gather(2, choices.to(torch::kInt64).unsqueeze(2)).squeeze(2);
  return {(chosen * active).sum(1), mean_entropy(learn_entropy ? log_probs : log_probs.detach(), active)};
}

void PolicyNetwork::sample(const PreparedPolicy& prepared, const Observation& observation, const SampleKey& key,
                           torch::Tensor choices, torch::Tensor log_prob) const {
  const torch::Tensor embeddings = encode(prepared, observation.features);
  const torch::Tensor keys = product(embeddings, prepared.decoder_keys);
  const torch::Tensor weights = output_weights(prepared, observation.exploration);
  const torch::Tensor initial = initial_state(prepared, embeddings);
  const std::int64_t batch = embeddings.size(0), dim = embeddings.size(2);
  torch::Tensor inputs = torch::empty({2, batch}, torch::dtype(torch::kInt32).device(embeddings.device()));
  torch::Tensor move_input = inputs.select(0, 0), edge_input = inputs.select(0, 1);
  torch::Tensor move = initial, edge = initial;
  log_prob.zero_();
  const auto row = [&](const torch::Tensor& index) {
    const torch::Tensor place = index.to(torch::kInt64).view({batch, 1, 1}).expand({batch, 1, dim});
    return embeddings.gather(1, place).squeeze(1).to(torch::kFloat32);
  };
  for (int k = 0; k < architecture_.max_moves; ++k) {
    const torch::Tensor first_input = prepared.first_input.expand({batch, dim});
    move = next_state(prepared.move, k == 0 ? first_input : row(move_input), move, initial);
    edge = next_state(prepared.edge, k == 0 ? first_input : row(edge_input), edge, initial);
    const torch::Tensor queries =
        torch::cat({product(move, prepared.move.queries), product(edge, prepared.edge.queries)}, 1);
    const torch::Tensor scores = stream_scores(keys, queries.unsqueeze(1), weights).squeeze(1).contiguous();
    sample_choice(architecture_, observation, scores.data_ptr<float>(), parameters_.prospect_table(), k, key, choices,
                  log_prob, move_input, edge_input);
  }
}

}  // namespace neuopt::train
