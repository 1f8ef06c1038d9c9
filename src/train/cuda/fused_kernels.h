// Launchers of the fused network operations. Device pointers, a stream as void*; errors throw ResourceError.
#pragma once

#include "device/mixer_pointers.h"

namespace neuopt::train::cuda {

inline constexpr int kMixerMaxNodes = 256;

/// probabilities (B, 4, N, N) = softmax over keys of the mixed scores; scores (B, 4, N, N), position_scores (4, N, N).
void mix_softmax_forward(int batch, int nodes, const float* scores, const float* position_scores,
                         const MixerPointers& mixer, float* probabilities, void* stream);

/// How the backward pass shares out the batch; sizes of its partial sums.
struct MixBackwardPlan {
  int slices;  // parts of the batch
  int blocks;  // thread blocks
};
MixBackwardPlan plan_mix_softmax_backward(int batch, int nodes);

/// Turns the gradient of the probabilities (B, 4, N, N), in place, into the gradient of the scores. Writes partial sums
/// that the caller adds up: position_partial (slices, 4, N, N) and mixer_partial (blocks, kMixerParameters).
void mix_softmax_backward(const MixBackwardPlan& plan, int batch, int nodes, const float* scores,
                          const float* position_scores, const MixerPointers& mixer, const float* probabilities,
                          float* gradient, float* position_partial, float* mixer_partial, void* stream);

/// Whether stream_scores kernels exist for this width and number of decoding steps.
bool stream_scores_supported(int dim, int steps);

struct StreamScoresShape {
  int batch, nodes, steps, dim;  // B, N, K, d
  bool shared_weights;           // output weights are (1, 2d) instead of (B, 2d)
};

/// scores (B, K, N); see stream_scores in ops.h. Element: float or __half.
template <class Element>
void stream_scores_forward(const StreamScoresShape& shape, const Element* keys, const float* queries,
                           const float* output_weights, float* scores, void* stream);

/// Gradients of keys (B, N, 4d), queries (B, K, 4d) and, for each row, of the output weights (B, 2d).
template <class Element>
void stream_scores_backward(const StreamScoresShape& shape, const Element* keys, const float* queries,
                            const float* output_weights, const float* gradient, Element* keys_gradient,
                            float* queries_gradient, float* weights_gradient, void* stream);

}  // namespace neuopt::train::cuda
