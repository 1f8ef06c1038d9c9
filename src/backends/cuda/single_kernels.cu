// Kernels of the network in single precision: written for clarity and for any shape, not for the last bit of speed.
#include <cmath>

#include "backends/cuda/single_kernels.h"
#include "device/cuda_check.h"
#include "device/warp.cuh"
#include "env/gire.h"
#include "policy/logits.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(long count, int threads = kThreads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

__device__ long thread_index() { return static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void embed_hidden_kernel(long rows, int features, int hidden, const float* __restrict__ x,
                                    const float* __restrict__ weight, const float* __restrict__ bias,
                                    float* __restrict__ out) {
  const long i = thread_index();
  if (i >= rows * hidden) return;
  const long row = i / hidden;
  const int unit = static_cast<int>(i % hidden);
  float sum = bias[unit];
  for (int f = 0; f < features; ++f) sum += weight[unit * features + f] * x[row * features + f];
  out[i] = fmaxf(sum, 0.0f);
}

__global__ void add_bias_kernel(long count, int width, const float* __restrict__ bias, float* __restrict__ x) {
  const long i = thread_index();
  if (i < count) x[i] += bias[i % width];
}

__global__ void relu_kernel(long count, float* x) {
  const long i = thread_index();
  if (i < count) x[i] = fmaxf(x[i], 0.0f);
}

__global__ void add_kernel(long count, const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ out) {
  const long i = thread_index();
  if (i < count) out[i] = a[i] + b[i];
}

__global__ void to_single_kernel(long count, const double* __restrict__ from, float* __restrict__ to) {
  const long i = thread_index();
  if (i < count) to[i] = static_cast<float>(from[i]);
}

// Attention -----------------------------------------------------------------------------------------------------------

constexpr int kMixWarps = 4;

/// Mixes the scores of one pair in place; they lie `step` apart, from head to head.
template <int kCapacity>
__device__ void mix_pair(int heads, const MixerPointers& mixer, const float* position_scores, long step, float* scores,
                         float (&mixed)[kCapacity]) {
  float input[2 * kCapacity];
#pragma unroll
  for (int h = 0; h < kCapacity; ++h) {
    if (h >= heads) break;
    input[h] = scores[h * step];
    input[heads + h] = position_scores[h * step];
    mixed[h] = mixer.bias2[h];
  }
#pragma unroll
  for (int m = 0; m < 2 * kCapacity; ++m) {
    if (m >= 2 * heads) break;
    float hidden = mixer.bias1[m];
#pragma unroll
    for (int i = 0; i < 2 * kCapacity; ++i) {
      if (i >= 2 * heads) break;
      hidden += mixer.weight1[m * 2 * heads + i] * input[i];
    }
    hidden = fmaxf(hidden, 0.0f);
#pragma unroll
    for (int h = 0; h < kCapacity; ++h) {
      if (h >= heads) break;
      mixed[h] += mixer.weight2[h * 2 * heads + m] * hidden;
    }
  }
#pragma unroll
  for (int h = 0; h < kCapacity; ++h) {
    if (h >= heads) break;
    scores[h * step] = mixed[h];
  }
}

/// One warp for each query; a lane only touches the pairs of its own keys. kFixed: exactly kCapacity heads, so that
/// everything stays in registers.
template <int kCapacity, bool kFixed>
__global__ void __launch_bounds__(kMixWarps * 32)
    mix_softmax_kernel(long rows, int nodes, int given_heads, const float* __restrict__ position_scores,
                       MixerPointers mixer, float* __restrict__ all_scores) {
  const int heads = kFixed ? kCapacity : given_heads;
  const long row = static_cast<long>(blockIdx.x) * kMixWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long query = row % nodes, step = static_cast<long>(nodes) * nodes;
  float* scores = all_scores + row / nodes * heads * step + query * nodes;
  float largest[kCapacity];
#pragma unroll
  for (int h = 0; h < kCapacity; ++h) largest[h] = -1e30f;
  for (int key = lane; key < nodes; key += 32) {
    float mixed[kCapacity];
    mix_pair<kCapacity>(heads, mixer, position_scores + query * nodes + key, step, scores + key, mixed);
#pragma unroll
    for (int h = 0; h < kCapacity; ++h) {
      if (h >= heads) break;
      largest[h] = fmaxf(largest[h], mixed[h]);
    }
  }
#pragma unroll
  for (int h = 0; h < kCapacity; ++h) {
    if (h >= heads) break;
    const float top = warp_max(largest[h]);
    float sum = 0;
    for (int key = lane; key < nodes; key += 32) {
      const float weight = expf(scores[h * step + key] - top);
      scores[h * step + key] = weight;
      sum += weight;
    }
    const float scale = 1.0f / warp_sum(sum);
    for (int key = lane; key < nodes; key += 32) scores[h * step + key] *= scale;
  }
}

// Norm and mean -------------------------------------------------------------------------------------------------------

constexpr int kNormThreads = 512;

/// Sum over the block; every thread gets it.
__device__ double block_sum(double value) {
  __shared__ double partial[kNormThreads / 32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  double total = 0;
  for (int warp = 0; warp < kNormThreads / 32; ++warp) total += partial[warp];
  __syncthreads();
  return total;
}

/// One block for each copy.
__global__ void __launch_bounds__(kNormThreads) normalise_kernel(long count, float* __restrict__ all) {
  float* x = all + blockIdx.x * count;
  double sum = 0, squares = 0;
  for (long i = threadIdx.x; i < count; i += kNormThreads) sum += static_cast<double>(x[i]);
  const double mean = block_sum(sum) / static_cast<double>(count);
  for (long i = threadIdx.x; i < count; i += kNormThreads) {
    const double off = static_cast<double>(x[i]) - mean;
    squares += off * off;
  }
  const double variance = block_sum(squares) / static_cast<double>(count - 1);
  const double scale = 1.0 / sqrt(variance + 1e-5);
  for (long i = threadIdx.x; i < count; i += kNormThreads)
    x[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * scale);
}

__global__ void mean_rows_kernel(int nodes, int width, const float* __restrict__ x, float* __restrict__ out) {
  const long copy = blockIdx.x;
  for (int channel = threadIdx.x; channel < width; channel += blockDim.x) {
    float sum = 0;
    for (int row = 0; row < nodes; ++row) sum += x[(copy * nodes + row) * width + channel];
    out[copy * width + channel] = sum / static_cast<float>(nodes);
  }
}

// Decoder -------------------------------------------------------------------------------------------------------------

__global__ void gather_rows_kernel(long count, int nodes, int width, const float* __restrict__ embeddings,
                                   const std::int32_t* __restrict__ position, const float* __restrict__ vector,
                                   float* __restrict__ out) {
  const long i = thread_index();
  if (i >= count) return;
  const long copy = i / width, channel = i % width;
  out[i] = position == nullptr ? vector[channel] : embeddings[(copy * nodes + position[copy]) * width + channel];
}

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__global__ void update_gru_kernel(long count, int width, const float* __restrict__ input_gates,
                                  const float* __restrict__ hidden_gates, const float* __restrict__ input_bias,
                                  const float* __restrict__ hidden_bias, float* __restrict__ state) {
  const long i = thread_index();
  if (i >= count) return;
  const long copy = i / width;
  const int unit = static_cast<int>(i % width);
  const auto input = [&](int gate) {
    return input_gates[copy * 3 * width + gate * width + unit] + input_bias[gate * width + unit];
  };
  const auto hidden = [&](int gate) {
    return hidden_gates[copy * 3 * width + gate * width + unit] + hidden_bias[gate * width + unit];
  };
  const float reset = sigmoid(input(0) + hidden(0)), update = sigmoid(input(1) + hidden(1));
  const float candidate = tanhf(input(2) + reset * hidden(2));
  state[i] = (1.0f - update) * candidate + update * state[i];
}

using policy::kHyperHidden;

__global__ void readouts_kernel(int width, const float* __restrict__ exploration, HyperPointers hyper,
                                float* __restrict__ out) {
  constexpr int kInputs = env::kExplorationFeatures;
  __shared__ float hidden[kHyperHidden];
  const long copy = blockIdx.x;
  if (threadIdx.x < kHyperHidden) {
    float sum = hyper.bias1[threadIdx.x];
    for (int i = 0; i < kInputs; ++i) sum += hyper.weight1[threadIdx.x * kInputs + i] * exploration[copy * kInputs + i];
    hidden[threadIdx.x] = fmaxf(sum, 0.0f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
    float sum = hyper.bias2[i];
    for (int m = 0; m < kHyperHidden; ++m) sum += hyper.weight2[i * kHyperHidden + m] * hidden[m];
    out[copy * 2 * width + i] = sum;
  }
}

constexpr int kScoreWarps = 4;
constexpr int kNodesPerBlock = 32;

/// A warp for each node in turn, lanes over channels.
__global__ void __launch_bounds__(kScoreWarps * 32) score_streams_kernel(StreamScores a, float* __restrict__ scores) {
  const long copy = blockIdx.x;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float* query = a.queries + copy * 4 * a.width;
  const float* readout = a.readout + copy * a.readout_stride;
  const int first = static_cast<int>(blockIdx.y) * kNodesPerBlock, last = min(first + kNodesPerBlock, a.nodes);
  for (int node = first + static_cast<int>(threadIdx.x / 32); node < last; node += kScoreWarps) {
    const float* key = a.keys + (copy * a.nodes + node) * 4 * a.width;
    float sum = 0;
    for (int s = 0; s < 2; ++s) {
      if (!a.enabled[s]) continue;
      const int additive = 2 * s * a.width, multiplicative = additive + a.width;
      for (int c = lane; c < a.width; c += 32)
        sum += readout[s * a.width + c] *
               tanhf(key[additive + c] + query[additive + c] + key[multiplicative + c] * query[multiplicative + c]);
    }
    sum = warp_sum(sum);
    if (lane == 0) scores[copy * a.nodes + node] = sum;
  }
}

}  // namespace

void embed_hidden(long rows, int features, int hidden, const float* x, const float* weight, const float* bias,
                  float* out, cudaStream_t stream) {
  embed_hidden_kernel<<<blocks_for(rows * hidden), kThreads, 0, stream>>>(rows, features, hidden, x, weight, bias, out);
  check_cuda(cudaGetLastError(), "embedding");
}

void add_bias(long rows, int width, const float* bias, float* x, cudaStream_t stream) {
  add_bias_kernel<<<blocks_for(rows * width), kThreads, 0, stream>>>(rows * width, width, bias, x);
  check_cuda(cudaGetLastError(), "bias");
}

void relu(long count, float* x, cudaStream_t stream) {
  relu_kernel<<<blocks_for(count), kThreads, 0, stream>>>(count, x);
  check_cuda(cudaGetLastError(), "relu");
}

void add(long count, const float* a, const float* b, float* out, cudaStream_t stream) {
  add_kernel<<<blocks_for(count), kThreads, 0, stream>>>(count, a, b, out);
  check_cuda(cudaGetLastError(), "sum");
}

void to_single(long count, const double* from, float* to, cudaStream_t stream) {
  to_single_kernel<<<blocks_for(count), kThreads, 0, stream>>>(count, from, to);
  check_cuda(cudaGetLastError(), "conversion");
}

void mix_softmax(int copies, int nodes, int heads, const float* position_scores, const MixerPointers& mixer,
                 float* scores, cudaStream_t stream) {
  constexpr int kPaperHeads = 4, kMostHeads = 64;
  const long rows = static_cast<long>(copies) * nodes;
  const unsigned blocks = blocks_for(rows, kMixWarps);
  if (heads == kPaperHeads)
    mix_softmax_kernel<kPaperHeads, true>
        <<<blocks, kMixWarps * 32, 0, stream>>>(rows, nodes, heads, position_scores, mixer, scores);
  else if (heads < kPaperHeads)
    mix_softmax_kernel<kPaperHeads, false>
        <<<blocks, kMixWarps * 32, 0, stream>>>(rows, nodes, heads, position_scores, mixer, scores);
  else
    mix_softmax_kernel<kMostHeads, false>
        <<<blocks, kMixWarps * 32, 0, stream>>>(rows, nodes, heads, position_scores, mixer, scores);
  check_cuda(cudaGetLastError(), "mixing attention scores");
}

void normalise(int copies, long count, float* x, cudaStream_t stream) {
  normalise_kernel<<<static_cast<unsigned>(copies), kNormThreads, 0, stream>>>(count, x);
  check_cuda(cudaGetLastError(), "norm");
}

void mean_rows(int copies, int nodes, int width, const float* x, float* out, cudaStream_t stream) {
  mean_rows_kernel<<<static_cast<unsigned>(copies), kThreads / 2, 0, stream>>>(nodes, width, x, out);
  check_cuda(cudaGetLastError(), "mean");
}

void gather_rows(int copies, int nodes, int width, const float* embeddings, const std::int32_t* position,
                 const float* vector, float* out, cudaStream_t stream) {
  const long count = static_cast<long>(copies) * width;
  gather_rows_kernel<<<blocks_for(count), kThreads, 0, stream>>>(count, nodes, width, embeddings, position, vector,
                                                                 out);
  check_cuda(cudaGetLastError(), "inputs of the streams");
}

void update_gru(int copies, int width, const float* input_gates, const float* hidden_gates, const float* input_bias,
                const float* hidden_bias, float* state, cudaStream_t stream) {
  const long count = static_cast<long>(copies) * width;
  update_gru_kernel<<<blocks_for(count), kThreads, 0, stream>>>(count, width, input_gates, hidden_gates, input_bias,
                                                                hidden_bias, state);
  check_cuda(cudaGetLastError(), "recurrent unit");
}

void make_readouts(int copies, int width, const float* exploration, const HyperPointers& hyper, float* out,
                   cudaStream_t stream) {
  readouts_kernel<<<static_cast<unsigned>(copies), kThreads / 2, 0, stream>>>(width, exploration, hyper, out);
  check_cuda(cudaGetLastError(), "hypernetwork");
}

void score_streams(const StreamScores& arguments, float* scores, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(arguments.copies), blocks_for(arguments.nodes, kNodesPerBlock));
  score_streams_kernel<<<grid, kScoreWarps * 32, 0, stream>>>(arguments, scores);
  check_cuda(cudaGetLastError(), "decoder scores");
}

}  // namespace neuopt::backends::cuda
