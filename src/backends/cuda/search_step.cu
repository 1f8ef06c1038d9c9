// The search outside the network, running the same code as the host backends: one warp for each copy, but a block
// where choices are told what they lead to.
#include <cmath>

#include "backends/cuda/device_batch.h"
#include "core/lanes.h"
#include "device/cuda_check.h"
#include "env/masking.h"
#include "env/observation.h"
#include "env/prospect_block.h"
#include "kopt/choices.h"
#include "kopt/draw.h"
#include "policy/logits.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kWarps = 4;  // of a block; each works alone

using Lanes = WarpLanes;

__device__ long row_of_warp() { return static_cast<long>(blockIdx.x) * kWarps + threadIdx.x / 32; }

/// Shows the network what is there now, and keeps the state, of which every lane has one.
template <class Problem>
__device__ void finish(const DeviceBatch& batch, long row, const env::Search<Problem>& search,
                       const env::SearchState& state) {
  const env::SearchRules& rules = batch.searches.rules;
  float* features = batch.network_features + row * batch.searches.nodes * env::kFeatures<Problem>;
  env::write_features<Problem, env::RowOrder::position>(Lanes{}, rules, search, state, features);
  Lanes{}.sync();
  if (Lanes{}.first() != 0) return;
  if (batch.exploration != nullptr)
    env::write_exploration(rules, state, batch.exploration + row * env::kExplorationFeatures);
  batch.searches.states[row] = state;
}

template <class Problem>
__global__ void __launch_bounds__(kWarps * 32)
    start_kernel(DeviceBatch batch, const std::int32_t* __restrict__ rows, int count) {
  const long item = row_of_warp();
  if (item >= count) return;
  const long row = rows == nullptr ? item : rows[item];
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  env::SearchState state = batch.searches.states[row];
  env::start_search(Lanes{}, batch.searches.rules, search, state);
  finish(batch, row, search, state);
}

template <class Problem>
__global__ void __launch_bounds__(kWarps * 32) return_kernel(DeviceBatch batch) {
  const long row = row_of_warp();
  if (row >= batch.searches.copies) return;
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  env::SearchState state = batch.searches.states[row];
  const bool polished = batch.polished_cost != nullptr && batch.polished_cost[row] < state.status.best_cost;
  if (!polished && isinf(state.status.best_cost)) return;
  const std::int32_t* best = polished ? batch.polished_order + row * batch.searches.nodes : search.best_order;
  env::continue_from(Lanes{}, search, best, state);
  finish(batch, row, search, state);
}

/// Scores of one copy as logits.
struct Choice {
  const float* scores;  // (N) in tour order
  kopt::LegalChoices legal;
  float bound;  // of the logits
  kopt::TourView tour;
  kopt::FixedEdges fixed;
  env::TwoOptMask mask;

  __device__ float logit(int position) const {
    if (!legal.allows(position) || !mask.allows(position)) return policy::kIllegalLogit;
    if (fixed.any() && legal.removes_edge(position) && fixed.has_after(tour, position)) return policy::kIllegalLogit;
    return bound * tanhf(scores[position]);
  }
};

__device__ int draw_position(const env::SearchBatch& searches, long row, int k, const kopt::TourView& tour,
                             const Choice& choice) {
  const float uniform = env::choice_number(searches.rules, searches.states[row], k);
  const kopt::Drawn drawn = kopt::draw_index(Lanes{}, tour.nodes, uniform, [&](int node) {
    const float logit = choice.logit(tour.position[node]);
    return logit == policy::kIllegalLogit ? 0.0f : expf(logit);
  });
  return tour.position[drawn.index];
}

/// Adds what choices lead to, seen from the k choices so far. A block for each copy.
__global__ void __launch_bounds__(env::kTellerWarps * 32)
    prospects_kernel(DeviceBatch batch, int features, bool demands, int k, float* __restrict__ scores) {
  extern __shared__ float shared[];
  const env::SearchBatch& searches = batch.searches;
  const long row = blockIdx.x;
  const int nodes = searches.nodes;
  const env::SearchStatus& status = searches.states[row].status;
  const double polished = batch.polished_cost != nullptr ? batch.polished_cost[row] : INFINITY;
  const float above = env::above_best(status.cost, fmin(status.best_cost, polished));
  env::ProspectState state = env::prospect_state(
      nodes, batch.foresight, batch.network_features + row * nodes * features, features, demands, above);
  if (searches.instances != nullptr) state.read_instance(searches.instances[row], searches.order + row * nodes);
  const auto tellers = env::tellers_of_block(state, shared);
  env::add_prospects(tellers, state, batch.choices + row * batch.max_moves, k, batch.prospect_weights,
                     scores + row * nodes);
}

template <class Problem>
__global__ void __launch_bounds__(kWarps * 32)
    sample_kernel(DeviceBatch batch, int k, const float* __restrict__ scores, float* __restrict__ logits,
                  const std::int32_t* __restrict__ recorded) {
  const env::SearchBatch& searches = batch.searches;
  const long row = row_of_warp();
  if (row >= searches.copies) return;
  const int nodes = searches.nodes;
  const kopt::TourView tour{nodes, searches.order + row * nodes, searches.position + row * nodes};
  std::int32_t* choices = batch.choices + row * batch.max_moves;
  int cuts[kopt::kMostMoves];
  kopt::Action action = kopt::start_at_position(0, nodes, cuts);
  if (k > 0) action = kopt::action_from_choices(choices, k, nodes, cuts);
  const bool open = !action.closed;
  const int previous = searches.states[row].status.previous_anchor;
  kopt::FixedEdges fixed;
  if (searches.instances != nullptr)
    fixed = env::fixed_edges(searches.instances[row]);  // null: states without instances
  env::LoadRows loads;
  if (batch.masking && k > 0) loads.features = batch.network_features + row * nodes * env::kFeatures<Problem>;
  const Choice choice{scores + row * nodes,
                      k == 0 ? kopt::legal_start(nodes, previous < 0 ? -1 : tour.position[previous])
                             : kopt::legal_continuation(action, batch.fixed_k && !fixed.any()),
                      k == 0 ? batch.start_bound : batch.bound,
                      tour,
                      fixed,
                      env::make_two_opt_mask(loads, nodes, action.anchor_position)};
  if (logits != nullptr) {
    float* out = logits + (row * batch.max_moves + k) * nodes;
    for (int p = Lanes{}.first(); p < nodes; p += Lanes{}.stride()) out[p] = open ? choice.logit(p) : 0.0f;
  }
  int chosen = action.anchor_position;  // after the E-move
  if (open) {
    chosen = recorded != nullptr ? recorded[row * batch.max_moves + k] : draw_position(searches, row, k, tour, choice);
    if (k == 0)
      action = kopt::start_at_position(chosen, nodes, cuts);
    else
      kopt::choose_position(action, chosen);
  }
  if (Lanes{}.first() == 0) {
    choices[k] = chosen;
    batch.move_input[row] = chosen;
    batch.edge_input[row] = kopt::edge_input_position(action);
  }
  if (k < batch.max_moves - 1 || recorded != nullptr) return;
  action.anchor = tour.order[action.anchor_position];
  const env::Search<Problem> search = env::search_at<Problem>(searches, row);
  env::SearchState state = searches.states[row];
  Lanes{}.sync();
  env::take_step(Lanes{}, searches.rules, search, action, 0.0f, state);
  finish(batch, row, search, state);
}

unsigned blocks_for(int copies) { return static_cast<unsigned>((copies + kWarps - 1) / kWarps); }

}  // namespace

void start_searches(const DeviceBatch& batch, const std::int32_t* rows, int count, cudaStream_t stream) {
  if (count == 0) return;
  env::for_problem(batch.kind, [&](auto problem) {
    start_kernel<decltype(problem)><<<blocks_for(count), kWarps * 32, 0, stream>>>(batch, rows, count);
  });
  check_cuda(cudaGetLastError(), "starting searches");
}

void return_to_best(const DeviceBatch& batch, cudaStream_t stream) {
  env::for_problem(batch.kind, [&](auto problem) {
    return_kernel<decltype(problem)><<<blocks_for(batch.searches.copies), kWarps * 32, 0, stream>>>(batch);
  });
  check_cuda(cudaGetLastError(), "returning to the best tours");
}

void sample_and_step(const DeviceBatch& batch, int k, float* scores, float* logits, const std::int32_t* recorded,
                     cudaStream_t stream) {
  if (batch.prospect_weights != nullptr) {
    const ProblemTraits problem = traits(batch.kind);
    const std::size_t bytes = env::teller_bytes(batch.searches.nodes, problem.demands);
    const unsigned threads = env::teller_threads(batch.searches.nodes);
    prospects_kernel<<<static_cast<unsigned>(batch.searches.copies), threads, bytes, stream>>>(
        batch, problem.features, problem.demands, k, scores);
    check_cuda(cudaGetLastError(), "adding prospects");
  }
  env::for_problem(batch.kind, [&](auto problem) {
    sample_kernel<decltype(problem)>
        <<<blocks_for(batch.searches.copies), kWarps * 32, 0, stream>>>(batch, k, scores, logits, recorded);
  });
  check_cuda(cudaGetLastError(), "choosing nodes");
}

}  // namespace neuopt::backends::cuda
