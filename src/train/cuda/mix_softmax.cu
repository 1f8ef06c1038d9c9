// Synthesis attention between its two products: 4 products of query and key beside 4 positional scores are mixed by a
// small perceptron into 4 scores, then the softmax over the keys. One warp works on one row (all keys of a query), its
// lanes on the keys lane, lane + 32, ...; the backward pass recomputes the hidden layer from the stored products.
#include <algorithm>

#include "device/cuda_check.h"
#include "device/warp.cuh"
#include "train/cuda/fused_kernels.h"

namespace neuopt::train::cuda {
namespace {

constexpr int kHeads = kMixerHeads;
constexpr int kInputs = 2 * kHeads;
constexpr int kHidden = 2 * kHeads;
constexpr int kForwardWarps = 8;
constexpr int kBackwardWarps = 4;

/// The perceptron in shared memory, laid out so that what one hidden unit needs lies together.
struct MixerTile {
  float input_weight[kHidden][kInputs];  // weight1
  float output_weight[kHidden][kHeads];  // weight2, transposed
  float bias1[kHidden];
  float bias2[kHeads];
};

__device__ void load_mixer(MixerTile& tile, const MixerPointers& mixer) {
  for (int i = threadIdx.x; i < kHidden * kInputs; i += blockDim.x)
    tile.input_weight[i / kInputs][i % kInputs] = mixer.weight1[i];
  for (int i = threadIdx.x; i < kHeads * kHidden; i += blockDim.x)
    tile.output_weight[i % kHidden][i / kHidden] = mixer.weight2[i];
  for (int i = threadIdx.x; i < kHidden; i += blockDim.x) tile.bias1[i] = mixer.bias1[i];
  for (int i = threadIdx.x; i < kHeads; i += blockDim.x) tile.bias2[i] = mixer.bias2[i];
  __syncthreads();
}

/// Offset of (row b, head, query i, key 0) in a (B, 4, N, N) tensor.
__device__ long score_offset(int b, int head, int i, int nodes) {
  return ((static_cast<long>(b) * kHeads + head) * nodes + i) * nodes;
}

/// kChunks = ceil(N / 32): keys for each lane.
template <int kChunks>
__global__ void __launch_bounds__(kForwardWarps * 32)
    mix_softmax_forward_kernel(int batch, int nodes, const float* __restrict__ scores,
                               const float* __restrict__ position_scores, MixerPointers mixer,
                               float* __restrict__ probabilities) {
  __shared__ MixerTile tile;
  load_mixer(tile, mixer);
  const int lane = threadIdx.x % 32;
  const long row = static_cast<long>(blockIdx.x) * kForwardWarps + threadIdx.x / 32;
  if (row >= static_cast<long>(batch) * nodes) return;
  const int b = static_cast<int>(row / nodes), i = static_cast<int>(row % nodes);

  float input[kChunks][kInputs];
  float mixed[kChunks][kHeads];
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    const int key = lane + 32 * c;
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      input[c][h] = key < nodes ? scores[score_offset(b, h, i, nodes) + key] : 0.0f;
      input[c][kHeads + h] = key < nodes ? position_scores[score_offset(0, h, i, nodes) + key] : 0.0f;
      mixed[c][h] = tile.bias2[h];
    }
  }
#pragma unroll
  for (int m = 0; m < kHidden; ++m) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      float hidden = tile.bias1[m];
#pragma unroll
      for (int x = 0; x < kInputs; ++x) hidden += tile.input_weight[m][x] * input[c][x];
      hidden = fmaxf(hidden, 0.0f);
#pragma unroll
      for (int h = 0; h < kHeads; ++h) mixed[c][h] += tile.output_weight[m][h] * hidden;
    }
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    float largest = -1e30f;
#pragma unroll
    for (int c = 0; c < kChunks; ++c)
      if (lane + 32 * c < nodes) largest = fmaxf(largest, mixed[c][h]);
    largest = warp_max(largest);
    float sum = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      mixed[c][h] = lane + 32 * c < nodes ? __expf(mixed[c][h] - largest) : 0.0f;
      sum += mixed[c][h];
    }
    const float scale = 1.0f / warp_sum(sum);
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int key = lane + 32 * c;
      if (key < nodes) probabilities[score_offset(b, h, i, nodes) + key] = mixed[c][h] * scale;
    }
  }
}

/// Sums of the perceptron's gradients over the pairs that one lane has seen.
struct MixerGradient {
  float weight1[kHidden][kInputs];
  float bias1[kHidden];
  float weight2[kHeads][kHidden];
  float bias2[kHeads];
};

/// Backward through the perceptron for one pair: adds to `sums`, returns the gradient of the inputs.
__device__ __forceinline__ void mixer_backward(const MixerTile& tile, const float (&input)[kInputs],
                                               const float (&mixed_gradient)[kHeads], MixerGradient& sums,
                                               float (&input_gradient)[kInputs]) {
#pragma unroll
  for (int x = 0; x < kInputs; ++x) input_gradient[x] = 0;
#pragma unroll
  for (int m = 0; m < kHidden; ++m) {
    float hidden = tile.bias1[m];
#pragma unroll
    for (int x = 0; x < kInputs; ++x) hidden += tile.input_weight[m][x] * input[x];
    float gradient = 0;
    if (hidden > 0) {
#pragma unroll
      for (int h = 0; h < kHeads; ++h) {
        gradient += tile.output_weight[m][h] * mixed_gradient[h];
        sums.weight2[h][m] += mixed_gradient[h] * hidden;
      }
    }
    sums.bias1[m] += gradient;
#pragma unroll
    for (int x = 0; x < kInputs; ++x) {
      sums.weight1[m][x] += gradient * input[x];
      input_gradient[x] += tile.input_weight[m][x] * gradient;
    }
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) sums.bias2[h] += mixed_gradient[h];
}

/// Adds a warp's sums into the block's, parameter by parameter, in the order of MixerPointers. The warps take turns, so
/// that the result does not depend on who comes first.
__device__ void add_to_block(const MixerGradient& sums, float* block_sums) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* values = &sums.weight1[0][0];
  for (int turn = 0; turn < kBackwardWarps; ++turn) {
    if (warp == turn) {
#pragma unroll
      for (int p = 0; p < kMixerParameters; ++p) {
        const float total = warp_sum(values[p]);
        if (lane == 0) block_sums[p] = turn == 0 ? total : block_sums[p] + total;
      }
    }
    __syncthreads();
  }
}

/// A warp keeps one query position and walks over a slice of the batch, so that the gradient of its row of the
/// positional scores stays in registers.
template <int kChunks>
__global__ void __launch_bounds__(kBackwardWarps * 32)
    mix_softmax_backward_kernel(int slices, int batch, int nodes, const float* __restrict__ scores,
                                const float* __restrict__ position_scores, MixerPointers mixer,
                                const float* __restrict__ probabilities, float* __restrict__ gradient,
                                float* __restrict__ position_partial, float* __restrict__ mixer_partial) {
  __shared__ MixerTile tile;
  __shared__ float block_sums[kMixerParameters];
  load_mixer(tile, mixer);
  const int lane = threadIdx.x % 32;
  const int i = static_cast<int>(blockIdx.x) * kBackwardWarps + static_cast<int>(threadIdx.x / 32);
  const int slice = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(static_cast<long>(batch) * slice / slices);
  const int last = i < nodes ? static_cast<int>(static_cast<long>(batch) * (slice + 1) / slices) : first;

  MixerGradient sums{};
  float position_gradient[kChunks][kHeads] = {};
  for (int b = first; b < last; ++b) {
    float dot[kHeads];
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const long at = score_offset(b, h, i, nodes);
      float sum = 0;
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const int key = lane + 32 * c;
        if (key < nodes) sum += probabilities[at + key] * gradient[at + key];
      }
      dot[h] = warp_sum(sum);
    }
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int key = lane + 32 * c;
      if (key < nodes) {
        float input[kInputs], mixed_gradient[kHeads], input_gradient[kInputs];
#pragma unroll
        for (int h = 0; h < kHeads; ++h) {
          const long at = score_offset(b, h, i, nodes) + key;
          input[h] = scores[at];
          input[kHeads + h] = position_scores[score_offset(0, h, i, nodes) + key];
          mixed_gradient[h] = probabilities[at] * (gradient[at] - dot[h]);
        }
        mixer_backward(tile, input, mixed_gradient, sums, input_gradient);
#pragma unroll
        for (int h = 0; h < kHeads; ++h) {
          gradient[score_offset(b, h, i, nodes) + key] = input_gradient[h];
          position_gradient[c][h] += input_gradient[kHeads + h];
        }
      }
    }
    __syncwarp();
  }
  if (i < nodes) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int key = lane + 32 * c;
#pragma unroll
      for (int h = 0; h < kHeads; ++h)
        if (key < nodes) position_partial[score_offset(slice, h, i, nodes) + key] = position_gradient[c][h];
    }
  }
  add_to_block(sums, block_sums);
  const long block = static_cast<long>(slice) * gridDim.x + blockIdx.x;
  for (int p = threadIdx.x; p < kMixerParameters; p += blockDim.x)
    mixer_partial[block * kMixerParameters + p] = block_sums[p];
}

int backward_row_blocks(int nodes) { return (nodes + kBackwardWarps - 1) / kBackwardWarps; }

/// Calls launch(std::integral_constant<int, chunks>) for the number of keys of each lane.
template <class Launch>
void with_chunks(int nodes, Launch&& launch) {
  const int chunks = (nodes + 31) / 32;
  if (chunks <= 1) return launch(std::integral_constant<int, 1>{});
  if (chunks <= 2) return launch(std::integral_constant<int, 2>{});
  if (chunks <= 4) return launch(std::integral_constant<int, 4>{});
  launch(std::integral_constant<int, 8>{});
}

}  // namespace

void mix_softmax_forward(int batch, int nodes, const float* scores, const float* position_scores,
                         const MixerPointers& mixer, float* probabilities, void* stream) {
  const long rows = static_cast<long>(batch) * nodes;
  const dim3 grid(static_cast<unsigned>((rows + kForwardWarps - 1) / kForwardWarps));
  with_chunks(nodes, [&](auto chunks) {
    mix_softmax_forward_kernel<chunks.value><<<grid, kForwardWarps * 32, 0, static_cast<cudaStream_t>(stream)>>>(
        batch, nodes, scores, position_scores, mixer, probabilities);
  });
  check_cuda(cudaGetLastError(), "mixing attention scores");
}

MixBackwardPlan plan_mix_softmax_backward(int batch, int nodes) {
  constexpr int kWarpsWanted = 4224;  // a few waves on a large GPU
  const int slices = std::clamp(kWarpsWanted / std::max(nodes, 1), 1, std::max(batch, 1));
  return {slices, slices * backward_row_blocks(nodes)};
}

void mix_softmax_backward(const MixBackwardPlan& plan, int batch, int nodes, const float* scores,
                          const float* position_scores, const MixerPointers& mixer, const float* probabilities,
                          float* gradient, float* position_partial, float* mixer_partial, void* stream) {
  const dim3 grid(static_cast<unsigned>(backward_row_blocks(nodes)), static_cast<unsigned>(plan.slices));
  with_chunks(nodes, [&](auto chunks) {
    mix_softmax_backward_kernel<chunks.value><<<grid, kBackwardWarps * 32, 0, static_cast<cudaStream_t>(stream)>>>(
        plan.slices, batch, nodes, scores, position_scores, mixer, probabilities, gradient, position_partial,
        mixer_partial);
  });
  check_cuda(cudaGetLastError(), "gradient of mixed attention scores");
}

}  // namespace neuopt::train::cuda
