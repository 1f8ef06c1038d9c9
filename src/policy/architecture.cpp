#include "policy/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "env/gire.h"
#include "env/prospects.h"
#include "policy/logits.h"

namespace neuopt::policy {
namespace {

constexpr int kValueHeadHidden = 64;  // second hidden width of the critic's heads, at every d

using Specs = std::vector<TensorSpec>;

void add_linear(Specs& specs, const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
  specs.push_back({name + ".weight", {out, in}});
  if (bias) specs.push_back({name + ".bias", {out}});
}

/// W_query, W_key, W_val and W_out, one matrix for each head.
void add_attention(Specs& specs, const std::string& name, const Architecture& a) {
  for (const char* projection : {"W_query", "W_key", "W_val"})
    specs.push_back({name + "." + projection, {a.heads, a.dim, a.head_dim()}});
  specs.push_back({name + ".W_out", {a.heads, a.head_dim(), a.dim}});
}

void add_encoder(Specs& specs, const Architecture& a) {
  add_linear(specs, "embedder.embedder.0", a.dim / 2, a.features(), true);
  add_linear(specs, "embedder.embedder.2", a.dim, a.dim / 2, true);
  for (int layer = 0; layer < a.layers; ++layer) {
    const std::string attention = fmt::format("encoder.{}.MHA_sublayer.MHA", layer);
    add_attention(specs, attention, a);
    add_linear(specs, attention + ".score_aggr.0", 2 * a.heads, 2 * a.heads, true);
    add_linear(specs, attention + ".score_aggr.2", a.heads, 2 * a.heads, true);
    const std::string feed_forward = fmt::format("encoder.{}.FFandNorm_sublayer.FF", layer);
    add_linear(specs, feed_forward + ".0", a.feed_forward, a.dim, false);
    add_linear(specs, feed_forward + ".2", a.dim, a.feed_forward, false);
  }
  specs.push_back({"pos_encoder.W_query", {a.heads, a.dim, a.head_dim()}});
  specs.push_back({"pos_encoder.W_key", {a.heads, a.dim, a.head_dim()}});
}

void add_decoder(Specs& specs, const Architecture& a) {
  if (!a.exploration_features) {
    specs.push_back({"decoder.linear_V1", {a.dim}});
    specs.push_back({"decoder.linear_V2", {a.dim}});
  }
  specs.push_back({"decoder.init_query_learnable", {a.dim}});
  for (const char* matrix : {"K1", "K2", "K3", "K4", "Q1", "Q2", "Q3", "Q4"})
    add_linear(specs, std::string("decoder.linear_") + matrix, a.dim, a.dim, false);
  if (a.exploration_features) {
    add_linear(specs, "decoder.meta_linear.0", kHyperHidden, env::kExplorationFeatures, true);
    add_linear(specs, "decoder.meta_linear.2", 2 * a.dim, kHyperHidden, true);
  }
  add_linear(specs, "decoder.init_hidden_W", a.dim, a.dim, true);
  for (const char* cell : {"decoder.rnn1", "decoder.rnn2"}) {
    specs.push_back({fmt::format("{}.weight_ih", cell), {3 * a.dim, a.dim}});
    specs.push_back({fmt::format("{}.weight_hh", cell), {3 * a.dim, a.dim}});
    specs.push_back({fmt::format("{}.bias_ih", cell), {3 * a.dim}});
    specs.push_back({fmt::format("{}.bias_hh", cell), {3 * a.dim}});
  }
  if (a.prospects) specs.push_back({kProspectTable, {env::kProspectRows, env::kProspectFeatures}});
}

/// Three layers that end in one value. `extra` inputs follow the pooled embeddings.
void add_value_head(Specs& specs, const std::string& name, const Architecture& a, int extra) {
  add_linear(specs, name + ".fc1", a.dim, a.dim + extra, true);
  add_linear(specs, name + ".fc2", kValueHeadHidden, a.dim, true);
  add_linear(specs, name + ".fc3", 1, kValueHeadHidden, true);
}

void require(bool condition, const std::string& where, const std::string& message) {
  if (!condition) throw InputError(where + ": " + message);
}

void require_within(int value, int low, int high, const std::string& where, const char* name) {
  require(value >= low && value <= high, where, fmt::format("{} is {}, expected {} to {}", name, value, low, high));
}

}  // namespace

std::int64_t TensorSpec::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

Architecture paper_architecture(ProblemKind problem, int max_moves) {
  Architecture architecture;
  architecture.problem = problem;
  architecture.max_moves = max_moves;
  architecture.exploration_features = traits(problem).constrained;
  return architecture;
}

void validate(const Architecture& a, const std::string& where) {
  require_within(a.dim, 4, 4096, where, "dim");
  require_within(a.heads, 1, 64, where, "heads");
  require_within(a.layers, 1, 64, where, "layers");
  require_within(a.feed_forward, 1, 65536, where, "feed_forward");
  require_within(a.max_moves, 2, kopt::kMostMoves, where, "max_moves");
  require_within(a.logit_bound, 1, 20, where, "logit_bound");  // exp never overflows
  require(a.dim % 2 == 0, where, fmt::format("dim is {}, expected an even number", a.dim));
  require(a.dim % a.heads == 0, where, fmt::format("dim is {}, expected a multiple of heads ({})", a.dim, a.heads));
  require(a.move_stream || a.edge_stream, where, "both decoder streams are switched off");
  require(traits(a.problem).constrained || !a.exploration_features, where,
          fmt::format("exploration_features need a problem with infeasible solutions, not the {}",
                      problem_name(a.problem)));
  require(env::knows_prospects(a.problem) || !a.prospects, where,
          fmt::format("prospects are not known of the {}", problem_name(a.problem)));
  require_within(a.foresight, 2, kMostForesight, where, "foresight");
  require(a.foresight == 2 || a.prospects, where, "foresight is for a network with prospects");
  if (!a.masking) return;
  require(a.problem == ProblemKind::cvrp, where,
          fmt::format("masking is for the cvrp, not for the {}", problem_name(a.problem)));
  require(a.max_moves == 2, where, fmt::format("masking needs max_moves = 2, not {}", a.max_moves));
  require(!a.fixed_k, where, "masking and fixed_k: the E-move may be all that masking leaves");
}

std::vector<TensorSpec> policy_tensors(const Architecture& architecture) {
  Specs specs;
  add_encoder(specs, architecture);
  add_decoder(specs, architecture);
  return specs;
}

float initial_bound(const TensorSpec& tensor) {
  const float bound = 1.0f / std::sqrt(static_cast<float>(tensor.shape.back()));
  return tensor.name == kProspectTable ? bound / env::kProspectUnit : bound;
}

std::vector<TensorSpec> critic_tensors(const Architecture& a) {
  Specs specs;
  add_attention(specs, "encoder.0.module", a);
  add_linear(specs, "encoder.2.module.0", a.dim, a.dim, true);
  add_linear(specs, "encoder.2.module.2", a.dim, a.dim, true);
  add_linear(specs, "value_head.project_graph", a.dim / 2, a.dim, true);
  add_linear(specs, "value_head.project_node", a.dim / 2, a.dim, true);
  add_value_head(specs, "value_head.reward_MLP", a, 1);
  if (traits(a.problem).constrained) {
    add_value_head(specs, "value_head.regulation_MLP", a, 1 + env::kExplorationFeatures);
    add_value_head(specs, "value_head.bonus_MLP", a, 1);
  }
  return specs;
}

std::int64_t parameter_count(const std::vector<TensorSpec>& tensors) {
  std::int64_t sum = 0;
  for (const TensorSpec& spec : tensors) sum += spec.count();
  return sum;
}

}  // namespace neuopt::policy
