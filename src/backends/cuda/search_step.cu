// The search outside the network: one warp for each copy, running the same code as the host backends.
#include <cmath>

#include "backends/cuda/search_batch.h"
#include "core/lanes.h"
#include "core/philox.h"
#include "device/cuda_check.h"
#include "device/warp.cuh"
#include "env/features.h"
#include "env/stall.h"
#include "kopt/choices.h"
#include "policy/logits.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kWarps = 4;          // of a block; each works alone
constexpr int kLargestMoves = 64;  // K, as architectures are validated

using Lanes = WarpLanes;

__device__ long row_of_warp() { return static_cast<long>(blockIdx.x) * kWarps + threadIdx.x / 32; }

/// The arrays of one copy.
struct CopyViews {
  env::ProblemView problem;
  kopt::TourView tour;
  env::LoadsView loads;
};

__device__ CopyViews views_of(const SearchBatch& batch, long row) {
  const InstanceOnDevice& instance = batch.instances[batch.copy[row].instance];
  const long at = row * batch.nodes;
  CopyViews views{{batch.nodes, batch.depots, instance.x, instance.y, instance.demand, instance.matrix, instance.place,
                   instance.places, instance.epsilon, instance.tolerance},
                  {batch.nodes, batch.order + at, batch.position + at},
                  {nullptr, nullptr, nullptr}};
  if (batch.depots > 0)
    views.loads = {batch.load_up_to + at, batch.load_after + at, batch.route_load + row * batch.depots};
  return views;
}

__device__ void draw_augmentation(const SearchBatch& batch, CopyOnDevice& copy) {
  const Philox4 words =
      Random{batch.seed}.words(Draw::augment, copy.instance_id, copy.copy_id, copy.augmentations++, 0);
  copy.augmentation = env::draw_augmentation(words);
}

__device__ void copy_tour(const SearchBatch& batch, long row) {
  const long at = row * batch.nodes;
  for (int p = Lanes{}.first(); p < batch.nodes; p += Lanes{}.stride()) batch.best_order[at + p] = batch.order[at + p];
}

/// What the network sees of the copy now.
__device__ void write_observation(const SearchBatch& batch, long row, const CopyViews& views,
                                  const CopyOnDevice& copy) {
  float* out = batch.network_features + row * batch.nodes * batch.features;
  for (int p = Lanes{}.first(); p < batch.nodes; p += Lanes{}.stride()) {
    const int node = views.tour.order[p];
    float x, y;
    env::apply(copy.augmentation, views.problem.x[node], views.problem.y[node], x, y);
    env::write_node_features(views.problem, views.loads, batch.gire, node, x, y, out + p * batch.features);
  }
  if (batch.exploration != nullptr && Lanes{}.first() == 0)
    env::write_exploration_features(copy.status.history, env::is_feasible(copy.status), batch.gire,
                                    batch.exploration + row * env::kExplorationFeatures);
}

// Start ---------------------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__(kWarps * 32) start_kernel(SearchBatch batch, bool augment_start) {
  const long row = row_of_warp();
  if (row >= batch.copies) return;
  const CopyViews views = views_of(batch, row);
  CopyOnDevice copy = batch.copy[row];
  for (int p = Lanes{}.first(); p < batch.nodes; p += Lanes{}.stride()) views.tour.position[views.tour.order[p]] = p;
  Lanes{}.sync();
  if (batch.depots > 0) env::compute_loads(Lanes{}, views.problem, views.tour, views.loads);
  copy_tour(batch, row);
  copy.status = env::start_status(views.problem, views.tour, views.loads);
  if (!env::is_feasible(copy.status)) copy.status.best_cost = INFINITY;
  copy.augmentation = env::Augmentation{};
  copy.augmentations = 0;
  copy.stalled = 0;
  copy.feasible_steps = 0;
  if (augment_start) draw_augmentation(batch, copy);
  write_observation(batch, row, views, copy);
  Lanes{}.sync();
  if (Lanes{}.first() == 0) batch.copy[row] = copy;
}

// Choosing ------------------------------------------------------------------------------------------------------------

/// Sum of the values of this lane and those before it.
__device__ double sum_up_to_lane(double value) {
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const double before = __shfl_up_sync(kAllLanes, value, offset);
    if (Lanes{}.first() >= offset) value += before;
  }
  return value;
}

/// Draws a node by inverting the cumulative sum of weight(node) in index order; see draw_index of the host backends.
template <class Weight>
__device__ int draw_node(int nodes, float uniform, Weight&& weight) {
  double sum = 0;
  for (int node = Lanes{}.first(); node < nodes; node += Lanes{}.stride()) sum += static_cast<double>(weight(node));
  const double threshold = static_cast<double>(uniform) * warp_sum(sum);
  double before = 0;
  int last_possible = 0;
  for (int first = 0; first < nodes; first += 32) {
    const int node = first + Lanes{}.first();
    const float mine = node < nodes ? weight(node) : 0.0f;
    const double up_to = before + sum_up_to_lane(static_cast<double>(mine));
    const unsigned possible = __ballot_sync(kAllLanes, mine > 0);
    const unsigned reached = __ballot_sync(kAllLanes, mine > 0 && up_to > threshold);
    if (reached != 0) return first + __ffs(static_cast<int>(reached)) - 1;
    if (possible != 0) last_possible = first + 31 - __clz(static_cast<int>(possible));
    before = __shfl_sync(kAllLanes, up_to, 31);
  }
  return last_possible;  // rounding may leave a little at the end
}

/// Scores of one copy as logits.
struct Choice {
  const float* scores;  // (N) in tour order
  kopt::LegalChoices legal;
  bool uniform;  // all legal choices alike

  __device__ float logit(int position) const {
    if (!legal.allows(position)) return policy::kIllegalLogit;
    return uniform ? 0.0f : policy::kLogitBound * tanhf(scores[position]);
  }
};

__device__ int draw_position(const SearchBatch& batch, long row, int k, const kopt::TourView& tour,
                             const Choice& choice) {
  const CopyOnDevice& copy = batch.copy[row];
  const Philox4 words =
      Random{batch.seed}.words(Draw::decode, copy.instance_id, copy.copy_id,
                               static_cast<std::uint32_t>(copy.status.history.steps), static_cast<std::uint32_t>(k));
  const int node = draw_node(batch.nodes, uniform_float(words.word[0]), [&](int candidate) {
    const float logit = choice.logit(tour.position[candidate]);
    return logit == policy::kIllegalLogit ? 0.0f : expf(logit);
  });
  return tour.position[node];
}

// The step ------------------------------------------------------------------------------------------------------------

/// 1. applies the action, 2. keeps a new best, 3. counts the stall and draws a new augmentation when it is due,
/// 4. shows the network what is there now. `action.anchor` is a node.
__device__ void take_step(const SearchBatch& batch, long row, const CopyViews& views, const kopt::Action& action) {
  CopyOnDevice copy = batch.copy[row];  // every lane has its own
  const double best_before = copy.status.best_cost;
  env::take_step(Lanes{}, views.problem, batch.gire, 0.0f, action, views.tour, views.loads,
                 batch.scratch + row * batch.nodes, copy.status);
  copy.feasible_steps += env::is_feasible(copy.status) ? 1 : 0;
  if (copy.status.best_cost < best_before) copy_tour(batch, row);
  if (env::count_stall(best_before, copy.status.best_cost, batch.stall_limit, copy.stalled))
    draw_augmentation(batch, copy);
  write_observation(batch, row, views, copy);
  Lanes{}.sync();
  if (Lanes{}.first() == 0) batch.copy[row] = copy;
}

__global__ void __launch_bounds__(kWarps * 32)
    sample_kernel(SearchBatch batch, int k, const float* __restrict__ scores, float* __restrict__ logits,
                  const std::int32_t* __restrict__ recorded) {
  const long row = row_of_warp();
  if (row >= batch.copies) return;
  const int nodes = batch.nodes;
  const kopt::TourView tour{nodes, batch.order + row * nodes, batch.position + row * nodes};
  std::int32_t* choices = batch.choices + row * batch.max_moves;
  int cuts[kLargestMoves];
  kopt::Action action = kopt::start_at_position(0, nodes, cuts);
  if (k > 0) action = kopt::action_from_choices(choices, k, nodes, cuts);
  const bool open = !action.closed;
  const int previous = batch.copy[row].status.previous_anchor;
  const Choice choice{scores + row * nodes,
                      k == 0 ? kopt::legal_start(nodes, previous < 0 ? -1 : tour.position[previous])
                             : kopt::legal_continuation(action, batch.fixed_k),
                      k == 0 && batch.random_start_move};
  if (logits != nullptr) {
    float* out = logits + (row * batch.max_moves + k) * nodes;
    for (int p = Lanes{}.first(); p < nodes; p += Lanes{}.stride()) out[p] = open ? choice.logit(p) : 0.0f;
  }
  int chosen = action.anchor_position;  // after the E-move
  if (open) {
    chosen = recorded != nullptr ? recorded[row * batch.max_moves + k] : draw_position(batch, row, k, tour, choice);
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
  Lanes{}.sync();
  take_step(batch, row, views_of(batch, row), action);
}

unsigned blocks_for(int copies) { return static_cast<unsigned>((copies + kWarps - 1) / kWarps); }

}  // namespace

void start_searches(const SearchBatch& batch, bool augment_start, cudaStream_t stream) {
  start_kernel<<<blocks_for(batch.copies), kWarps * 32, 0, stream>>>(batch, augment_start);
  check_cuda(cudaGetLastError(), "starting searches");
}

void sample_and_step(const SearchBatch& batch, int k, const float* scores, float* logits, const std::int32_t* recorded,
                     cudaStream_t stream) {
  sample_kernel<<<blocks_for(batch.copies), kWarps * 32, 0, stream>>>(batch, k, scores, logits, recorded);
  check_cuda(cudaGetLastError(), "choosing nodes");
}

}  // namespace neuopt::backends::cuda
