// The shape of the policy network and of the critic: one description for the file format, every backend and the
// trainer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt::policy {

/// Edges of the exchanges that prospects look at, at most.
inline constexpr int kMostForesight = 3;

struct Architecture {
  ProblemKind problem = ProblemKind::tsp;
  int dim = 128;           // d: width of the embeddings
  int heads = 4;           // attention heads
  int layers = 3;          // encoder layers
  int feed_forward = 128;  // width of the feed-forward layer
  int max_moves = 4;       // K: basis moves in one action at most
  int logit_bound = 6;     // C: logits are C * tanh(score); the higher, the surer the policy is of its choices

  // GIRE. With exploration features the last decoder layer comes from a hypernetwork of the ES features; without, it
  // is learned, as for the TSP.
  bool exploration_features = false;
  bool violation_features = true;  // false: the network never saw the flags of exceeded capacity; they stay 0

  // Beyond the paper: the scores know what choices lead to (env/prospects.h), through a table of weights of its own.
  bool prospects = false;
  int foresight = 2;  // edges of the exchanges that these look at behind an anchor and a first choice: 2 or 3

  // Ablations of the paper. They change how the network is run, never its list of tensors.
  bool recurrent = true;           // false: no GRUs; the query of a stream is its initial state plus its input
  bool move_stream = true;         // mu
  bool edge_stream = true;         // lambda
  bool random_start_move = false;  // the S-move is drawn uniformly
  bool fixed_k = false;            // the E-move is chosen only when nothing else is left
  bool masking = false;            // CVRP, K = 2: nothing is chosen that overloads a route (env/masking.h)

  int features() const { return traits(problem).features; }  // of a node
  /// Edges that are looked at: no more than an action takes out, or than a search wants.
  int edges_foreseen(int at_most = kMostForesight) const { return std::min({foresight, max_moves, at_most}); }
  int head_dim() const { return dim / heads; }
  /// C for choice k of an action; 0: all legal choices are alike.
  float bound_at(int k) const { return k == 0 && random_start_move ? 0.0f : static_cast<float>(logit_bound); }
  bool operator==(const Architecture&) const = default;
};

/// The paper's network for a problem, with GIRE where solutions can be infeasible.
Architecture paper_architecture(ProblemKind problem, int max_moves = 4);

/// Throws InputError, starting with `where`, when the sizes make no network (e.g. dim not a multiple of heads).
void validate(const Architecture& architecture, const std::string& where);

struct TensorSpec {
  std::string name;  // as in the published checkpoints, e.g. "encoder.0.MHA_sublayer.MHA.W_query"
  std::vector<std::int64_t> shape;

  std::int64_t count() const;
};

/// The weights of what choices lead to (env/prospects.h), in a network that is told.
inline constexpr const char* kProspectTable = "decoder.prospects";

/// Every parameter of the policy network (the actor), in a fixed order.
std::vector<TensorSpec> policy_tensors(const Architecture& architecture);

/// Random weights of a tensor are drawn between minus and plus this.
float initial_bound(const TensorSpec& tensor);

/// Every parameter of the critic, in a fixed order. Used by the trainer only.
std::vector<TensorSpec> critic_tensors(const Architecture& architecture);

/// Sum of the parameters.
std::int64_t parameter_count(const std::vector<TensorSpec>& tensors);

}  // namespace neuopt::policy
