// The decoder's products: hidden states and queries for 16 searches at a time, then the scores of all nodes of each
// search.
#include "backends/cuda/fragments.cuh"
#include "backends/cuda/network.h"
#include "backends/cuda/scores.h"
#include "core/cuda_check.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kRows = 16;             // searches of a block
constexpr int kWarps = 8;             // each takes 16 hidden units of both streams
constexpr int kRowStride = kDim + 8;  // halves
constexpr int kSteps = kDim / 16;
constexpr int kUnitTiles = kDim / 8 / kWarps;  // C tiles of hidden units for a warp

__device__ PackedMatrix matrix_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<PackedMatrix>(model.bytes + offset);
}

__device__ const float* floats_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<const float*>(model.bytes + offset);
}

__device__ float fast_tanh(float x) { return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f); }
__device__ float sigmoid(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }

/// The 16 rows of a shared array as operands.
__device__ void load_rows(const __half (*shared)[kRowStride], int lane, TileA (&rows)[kSteps]) {
  const int group = lane / 4, quad = lane % 4;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const __half* upper = &shared[group][16 * step + 2 * quad];
    const __half* lower = &shared[group + 8][16 * step + 2 * quad];
    rows[step] =
        TileA{{*reinterpret_cast<const std::uint32_t*>(upper), *reinterpret_cast<const std::uint32_t*>(lower),
               *reinterpret_cast<const std::uint32_t*>(upper + 8), *reinterpret_cast<const std::uint32_t*>(lower + 8)}};
  }
}

/// Shared memory: inputs and states of both streams.
struct Shared {
  __half input[2][kRows][kRowStride];
  __half state[2][kRows][kRowStride];
};

__device__ void load_inputs(const DeviceModel& model, const NetworkBuffers& buffers, int k, int first, Shared& shared) {
  for (int i = threadIdx.x; i < 2 * kRows * kDim; i += blockDim.x) {
    const int stream = i / (kRows * kDim), row = i / kDim % kRows, channel = i % kDim;
    const long copy = first + row;
    __half value = __float2half(0.0f), state = value;
    if (copy < buffers.copies) {
      const int position = k == 0 ? 0 : (stream == 0 ? buffers.move_input : buffers.edge_input)[copy];
      value = k == 0 ? __float2half(floats_at(model, model.at.first_input)[channel])
                     : buffers.embeddings[(copy * buffers.nodes + position) * kDim + channel];
      state = __float2half(k == 0 ? buffers.mean[copy * kDim + channel]
                                  : buffers.states[(copy * 2 + stream) * kDim + channel]);
    }
    shared.input[stream][row][channel] = value;
    shared.state[stream][row][channel] = state;
  }
  __syncthreads();
}

/// k == 0: replaces the mean embeddings in shared.state and buffers.states by the initial hidden states.
__device__ void start_states(const DeviceModel& model, const NetworkBuffers& buffers, int first, int lane, int warp,
                             Shared& shared) {
  TileA mean[kSteps];
  load_rows(shared.state[0], lane, mean);
  TileC out[kUnitTiles] = {};
  multiply_rows(mean, matrix_at(model, model.at.initial_hidden), warp * kUnitTiles, lane, out);
  __syncthreads();
  const float* bias = floats_at(model, model.at.initial_hidden_bias);
#pragma unroll
  for (int tile = 0; tile < kUnitTiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), unit = 8 * (warp * kUnitTiles + tile) + 2 * (lane % 4) + (i & 1);
      const float value = out[tile].value[i] + bias[unit];
      for (int stream = 0; stream < 2; ++stream) {
        shared.state[stream][row][unit] = __float2half(value);
        if (first + row < buffers.copies)
          buffers.states[(static_cast<long>(first + row) * 2 + stream) * kDim + unit] = value;
      }
    }
  }
  __syncthreads();
}

/// GRU cell of one stream for the warp's hidden units; the new states are returned and written to the buffer.
__device__ void update_stream(const DeviceModel& model, const NetworkBuffers& buffers, int stream, int first, int lane,
                              int warp, const Shared& shared, TileC (&next)[kUnitTiles]) {
  const PackedOffsets::Stream& at = model.at.stream[stream];
  TileA rows[kSteps];
  TileC from_input[3][kUnitTiles] = {}, from_state[3][kUnitTiles] = {};
  load_rows(shared.input[stream], lane, rows);
#pragma unroll
  for (int gate = 0; gate < 3; ++gate)
    multiply_rows(rows, matrix_at(model, at.input), gate * kDim / 8 + warp * kUnitTiles, lane, from_input[gate]);
  load_rows(shared.state[stream], lane, rows);
#pragma unroll
  for (int gate = 0; gate < 3; ++gate)
    multiply_rows(rows, matrix_at(model, at.hidden), gate * kDim / 8 + warp * kUnitTiles, lane, from_state[gate]);
  const float* input_bias = floats_at(model, at.input_bias);
  const float* hidden_bias = floats_at(model, at.hidden_bias);
#pragma unroll
  for (int tile = 0; tile < kUnitTiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = first + lane / 4 + (i < 2 ? 0 : 8);
      const int unit = 8 * (warp * kUnitTiles + tile) + 2 * (lane % 4) + (i & 1);
      const auto input = [&](int gate) { return from_input[gate][tile].value[i] + input_bias[gate * kDim + unit]; };
      const auto hidden = [&](int gate) { return from_state[gate][tile].value[i] + hidden_bias[gate * kDim + unit]; };
      const float reset = sigmoid(input(0) + hidden(0)), update = sigmoid(input(1) + hidden(1));
      const float candidate = fast_tanh(input(2) + reset * hidden(2));
      float value = 0;
      if (row < buffers.copies) {
        float& state = buffers.states[(static_cast<long>(row) * 2 + stream) * kDim + unit];
        value = (1.0f - update) * candidate + update * state;
        state = value;
      }
      next[tile].value[i] = value;
    }
  }
}

__global__ void __launch_bounds__(kWarps * 32) streams_kernel(DeviceModel model, NetworkBuffers buffers, int k) {
  __shared__ __align__(16) Shared shared;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = static_cast<int>(blockIdx.x) * kRows;
  load_inputs(model, buffers, k, first, shared);
  if (k == 0) start_states(model, buffers, first, lane, warp, shared);
  TileC next[2][kUnitTiles];
  for (int stream = 0; stream < 2; ++stream)
    update_stream(model, buffers, stream, first, lane, warp, shared, next[stream]);
  __syncthreads();
  for (int stream = 0; stream < 2; ++stream) {
#pragma unroll
    for (int tile = 0; tile < kUnitTiles; ++tile) {
      const int unit = 8 * (warp * kUnitTiles + tile) + 2 * (lane % 4), row = lane / 4;
      *reinterpret_cast<std::uint32_t*>(&shared.state[stream][row][unit]) =
          pack(next[stream][tile].value[0], next[stream][tile].value[1]);
      *reinterpret_cast<std::uint32_t*>(&shared.state[stream][row + 8][unit]) =
          pack(next[stream][tile].value[2], next[stream][tile].value[3]);
    }
  }
  __syncthreads();
  // Queries: warps 0-3 the columns of stream mu, 4-7 those of lambda.
  constexpr int kQueryTiles = 2 * kDim / 8 / (kWarps / 2);
  const int stream = warp / (kWarps / 2), first_tile = warp % (kWarps / 2) * kQueryTiles;
  TileA rows[kSteps];
  load_rows(shared.state[stream], lane, rows);
  TileC out[kQueryTiles] = {};
  multiply_rows(rows, matrix_at(model, model.at.stream[stream].queries), first_tile, lane, out);
#pragma unroll
  for (int tile = 0; tile < kQueryTiles; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const long row = first + lane / 4 + (i < 2 ? 0 : 8);
      const int column = stream * 2 * kDim + 8 * (first_tile + tile) + 2 * (lane % 4) + (i & 1);
      if (row < buffers.copies) buffers.queries[row * kKeyWidth + column] = out[tile].value[i];
    }
  }
}

// Scores ------------------------------------------------------------------------------------------------------------

constexpr int kScoreWarps = 4;
constexpr int kPerLane = kDim / 32;  // neighbouring channels of a lane

/// (v1, v2): learned, or from the ES features through the hypernetwork.
__device__ void load_output_weights(const DeviceModel& model, const NetworkBuffers& buffers, long copy,
                                    float (&weights)[2 * kDim]) {
  if (!model.exploration_features) {
    for (int i = threadIdx.x; i < 2 * kDim; i += blockDim.x) weights[i] = floats_at(model, model.at.output_weights)[i];
    __syncthreads();
    return;
  }
  __shared__ float hidden[8];
  if (threadIdx.x < 8) {
    float sum = floats_at(model, model.at.hyper1_bias)[threadIdx.x];
    for (int i = 0; i < 9; ++i)
      sum += floats_at(model, model.at.hyper1)[threadIdx.x * 9 + i] * buffers.exploration[copy * 9 + i];
    hidden[threadIdx.x] = fmaxf(sum, 0.0f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * kDim; i += blockDim.x) {
    float sum = floats_at(model, model.at.hyper2_bias)[i];
    for (int m = 0; m < 8; ++m) sum += floats_at(model, model.at.hyper2)[i * 8 + m] * hidden[m];
    weights[i] = sum;
  }
  __syncthreads();
}

/// One block for each search, a warp for each node in turn, lanes over channels.
__global__ void __launch_bounds__(kScoreWarps * 32)
    scores_kernel(DeviceModel model, NetworkBuffers buffers, float* __restrict__ scores) {
  __shared__ float weights[2 * kDim];
  const long copy = blockIdx.x;
  load_output_weights(model, buffers, copy, weights);
  const int lane = threadIdx.x % 32, channel = lane * kPerLane;
  float query[4][kPerLane], weight[2][kPerLane];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float4 value = *reinterpret_cast<const float4*>(buffers.queries + copy * kKeyWidth + q * kDim + channel);
    query[q][0] = value.x, query[q][1] = value.y, query[q][2] = value.z, query[q][3] = value.w;
  }
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    weight[0][i] = weights[channel + i];
    weight[1][i] = weights[kDim + channel + i];
  }
  for (int node = threadIdx.x / 32; node < buffers.nodes; node += kScoreWarps) {
    const __half* key = buffers.keys + (copy * buffers.nodes + node) * kKeyWidth + channel;
    float value[4][kPerLane];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const uint2 raw = *reinterpret_cast<const uint2*>(key + q * kDim);
      const float2 low = unpack(raw.x), high = unpack(raw.y);
      value[q][0] = low.x, value[q][1] = low.y, value[q][2] = high.x, value[q][3] = high.y;
    }
    float sum = 0;
#pragma unroll
    for (int s = 0; s < 2; ++s)
#pragma unroll
      for (int i = 0; i < kPerLane; ++i)
        sum += weight[s][i] * fast_tanh(value[2 * s][i] + query[2 * s][i] + value[2 * s + 1][i] * query[2 * s + 1][i]);
    sum = warp_sum(sum);
    if (lane == 0) scores[copy * buffers.nodes + node] = sum;
  }
}

}  // namespace

void advance_streams(const DeviceModel& model, const NetworkBuffers& buffers, int k, cudaStream_t stream) {
  streams_kernel<<<(buffers.copies + kRows - 1) / kRows, kWarps * 32, 0, stream>>>(model, buffers, k);
  check_cuda(cudaGetLastError(), "decoder streams");
}

void score_nodes(const DeviceModel& model, const NetworkBuffers& buffers, float* scores, cudaStream_t stream) {
  scores_kernel<<<buffers.copies, kScoreWarps * 32, 0, stream>>>(model, buffers, scores);
  check_cuda(cudaGetLastError(), "decoder scores");
}

}  // namespace neuopt::backends::cuda
