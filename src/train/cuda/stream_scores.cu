// Scores of the dual-stream decoder: for each node and decoding step a sum of 2d hyperbolic tangents. Nothing of size
// (B, K, N, d) is stored; the backward pass recomputes them. One block for each row of the batch, a warp for each node
// in turn, lanes over channels.
#include <cuda_fp16.h>

#include <type_traits>

#include "device/cuda_check.h"
#include "device/warp.cuh"
#include "train/cuda/fused_kernels.h"

namespace neuopt::train::cuda {
namespace {

constexpr int kWarps = 4;

/// tanh to about 2e-7, from the fast exponential and division.
__device__ __forceinline__ float fast_tanh(float x) { return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f); }

/// One row's queries (K, 4d) and output weights (2d) in shared memory.
template <int kDim>
__device__ void load_row(const StreamScoresShape& shape, int b, const float* queries, const float* output_weights,
                         float* query_tile, float* weight_tile) {
  const float* row_queries = queries + static_cast<long>(b) * shape.steps * 4 * kDim;
  for (int i = threadIdx.x; i < shape.steps * 4 * kDim; i += blockDim.x) query_tile[i] = row_queries[i];
  const float* row_weights = output_weights + (shape.shared_weights ? 0L : static_cast<long>(b) * 2 * kDim);
  for (int i = threadIdx.x; i < 2 * kDim; i += blockDim.x) weight_tile[i] = row_weights[i];
  __syncthreads();
}

/// Neighbouring channels, read and written at once.
template <class Element, int kCount>
struct alignas(sizeof(Element) * kCount) Neighbours {
  Element value[kCount];
};

/// Channels of a (4, d) vector that one lane holds: d / 32 neighbouring ones of each quarter.
template <int kDim>
struct LaneVector {
  static constexpr int kPerLane = kDim / 32;
  float value[4][kPerLane];

  template <class Element>
  __device__ void load(const Element* from, int lane) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const auto part = reinterpret_cast<const Neighbours<Element, kPerLane>*>(from + q * kDim)[lane];
#pragma unroll
      for (int r = 0; r < kPerLane; ++r) value[q][r] = static_cast<float>(part.value[r]);
    }
  }
  template <class Element>
  __device__ void store(Element* to, int lane) const {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      Neighbours<Element, kPerLane> part;
#pragma unroll
      for (int r = 0; r < kPerLane; ++r) part.value[r] = static_cast<Element>(value[q][r]);
      reinterpret_cast<Neighbours<Element, kPerLane>*>(to + q * kDim)[lane] = part;
    }
  }
};

/// A lane's output weights of both streams.
template <int kDim>
struct LaneWeights {
  float value[2][kDim / 32];

  __device__ LaneWeights(const float* from, int lane) {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const auto part = reinterpret_cast<const Neighbours<float, kDim / 32>*>(from + s * kDim)[lane];
#pragma unroll
      for (int r = 0; r < kDim / 32; ++r) value[s][r] = part.value[r];
    }
  }
};

template <int kDim, class Element>
__global__ void __launch_bounds__(kWarps * 32)
    stream_scores_forward_kernel(StreamScoresShape shape, const Element* __restrict__ keys,
                                 const float* __restrict__ queries, const float* __restrict__ output_weights,
                                 float* __restrict__ scores) {
  extern __shared__ __align__(16) float shared[];
  float* query_tile = shared;                            // (K, 4d)
  float* weight_tile = shared + shape.steps * 4 * kDim;  // (2d)
  const int b = static_cast<int>(blockIdx.x);
  load_row<kDim>(shape, b, queries, output_weights, query_tile, weight_tile);
  const int lane = threadIdx.x % 32;
  const LaneWeights<kDim> weight(weight_tile, lane);
  for (int node = threadIdx.x / 32; node < shape.nodes; node += kWarps) {
    LaneVector<kDim> key;
    key.load(keys + (static_cast<long>(b) * shape.nodes + node) * 4 * kDim, lane);
    for (int k = 0; k < shape.steps; ++k) {
      LaneVector<kDim> query;
      query.load(query_tile + k * 4 * kDim, lane);
      float sum = 0;
#pragma unroll
      for (int s = 0; s < 2; ++s)
#pragma unroll
        for (int r = 0; r < LaneVector<kDim>::kPerLane; ++r) {
          const float z =
              key.value[2 * s][r] + query.value[2 * s][r] + key.value[2 * s + 1][r] * query.value[2 * s + 1][r];
          sum += weight.value[s][r] * fast_tanh(z);
        }
      sum = warp_sum(sum);
      if (lane == 0) scores[(static_cast<long>(b) * shape.steps + k) * shape.nodes + node] = sum;
    }
  }
}

/// Adds each warp's part (count values of one lane vector) into `tile`, warp after warp.
template <int kDim>
__device__ void add_in_turn(const LaneVector<kDim>& part, float* tile, int lane, int warp) {
  for (int turn = 0; turn < kWarps; ++turn) {
    if (warp == turn) {
      LaneVector<kDim> sum = part;
      if (turn > 0) {
        sum.load(tile, lane);
#pragma unroll
        for (int q = 0; q < 4; ++q)
#pragma unroll
          for (int r = 0; r < LaneVector<kDim>::kPerLane; ++r) sum.value[q][r] += part.value[q][r];
      }
      sum.store(tile, lane);
    }
    __syncthreads();
  }
}

template <int kDim, int kSteps, class Element>
__global__ void __launch_bounds__(kWarps * 32)
    stream_scores_backward_kernel(StreamScoresShape shape, const Element* __restrict__ keys,
                                  const float* __restrict__ queries, const float* __restrict__ output_weights,
                                  const float* __restrict__ gradient, Element* __restrict__ keys_gradient,
                                  float* __restrict__ queries_gradient, float* __restrict__ weights_gradient) {
  extern __shared__ __align__(16) float shared[];
  float* query_tile = shared;                       // (K, 4d)
  float* weight_tile = shared + kSteps * 4 * kDim;  // (2d)
  const int b = static_cast<int>(blockIdx.x);
  load_row<kDim>(shape, b, queries, output_weights, query_tile, weight_tile);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  LaneVector<kDim> query_sum[kSteps] = {};
  LaneVector<kDim> weight_sum = {};  // quarters 0 and 1 hold v1 and v2
  const LaneWeights<kDim> weight(weight_tile, lane);
  for (int node = warp; node < shape.nodes; node += kWarps) {
    const long at = (static_cast<long>(b) * shape.nodes + node) * 4 * kDim;
    LaneVector<kDim> key, key_sum = {};
    key.load(keys + at, lane);
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      const float g = gradient[(static_cast<long>(b) * kSteps + k) * shape.nodes + node];
      LaneVector<kDim> query;
      query.load(query_tile + k * 4 * kDim, lane);
#pragma unroll
      for (int s = 0; s < 2; ++s)
#pragma unroll
        for (int r = 0; r < LaneVector<kDim>::kPerLane; ++r) {
          const float scale = query.value[2 * s + 1][r];
          const float t = fast_tanh(key.value[2 * s][r] + query.value[2 * s][r] + key.value[2 * s + 1][r] * scale);
          const float dz = g * weight.value[s][r] * (1.0f - t * t);
          weight_sum.value[s][r] += g * t;
          key_sum.value[2 * s][r] += dz;
          key_sum.value[2 * s + 1][r] += dz * scale;
          query_sum[k].value[2 * s][r] += dz;
          query_sum[k].value[2 * s + 1][r] += dz * key.value[2 * s + 1][r];
        }
    }
    key_sum.store(keys_gradient + at, lane);
  }
  __syncthreads();  // the tiles are reused for the sums
#pragma unroll
  for (int k = 0; k < kSteps; ++k) add_in_turn<kDim>(query_sum[k], query_tile + k * 4 * kDim, lane, warp);
  float* row_queries = queries_gradient + static_cast<long>(b) * kSteps * 4 * kDim;
  for (int i = threadIdx.x; i < kSteps * 4 * kDim; i += blockDim.x) row_queries[i] = query_tile[i];
  __syncthreads();
  add_in_turn<kDim>(weight_sum, query_tile, lane, warp);
  for (int i = threadIdx.x; i < 2 * kDim; i += blockDim.x)
    weights_gradient[static_cast<long>(b) * 2 * kDim + i] = query_tile[i];
}

std::size_t tile_bytes(const StreamScoresShape& shape) {
  return sizeof(float) * static_cast<std::size_t>(shape.steps * 4 + 2) * static_cast<std::size_t>(shape.dim);
}

template <class Launch>
void with_dim(int dim, Launch&& launch) {
  if (dim == 32) return launch(std::integral_constant<int, 32>{});
  if (dim == 64) return launch(std::integral_constant<int, 64>{});
  launch(std::integral_constant<int, 128>{});
}

template <class Launch>
void with_steps(int steps, Launch&& launch) {
  switch (steps) {
    case 1:
      return launch(std::integral_constant<int, 1>{});
    case 2:
      return launch(std::integral_constant<int, 2>{});
    case 3:
      return launch(std::integral_constant<int, 3>{});
    case 4:
      return launch(std::integral_constant<int, 4>{});
    case 5:
      return launch(std::integral_constant<int, 5>{});
    default:
      return launch(std::integral_constant<int, 6>{});
  }
}

}  // namespace

bool stream_scores_supported(int dim, int steps) {
  return (dim == 32 || dim == 64 || dim == 128) && steps >= 1 && steps <= 6;
}

template <class Element>
void stream_scores_forward(const StreamScoresShape& shape, const Element* keys, const float* queries,
                           const float* output_weights, float* scores, void* stream) {
  with_dim(shape.dim, [&](auto dim) {
    stream_scores_forward_kernel<dim.value>
        <<<shape.batch, kWarps * 32, tile_bytes(shape), static_cast<cudaStream_t>(stream)>>>(shape, keys, queries,
                                                                                             output_weights, scores);
  });
  check_cuda(cudaGetLastError(), "decoder scores");
}

template <class Element>
void stream_scores_backward(const StreamScoresShape& shape, const Element* keys, const float* queries,
                            const float* output_weights, const float* gradient, Element* keys_gradient,
                            float* queries_gradient, float* weights_gradient, void* stream) {
  with_dim(shape.dim, [&](auto dim) {
    with_steps(shape.steps, [&](auto steps) {
      stream_scores_backward_kernel<dim.value, steps.value>
          <<<shape.batch, kWarps * 32, tile_bytes(shape), static_cast<cudaStream_t>(stream)>>>(
              shape, keys, queries, output_weights, gradient, keys_gradient, queries_gradient, weights_gradient);
    });
  });
  check_cuda(cudaGetLastError(), "gradient of decoder scores");
}

template void stream_scores_forward(const StreamScoresShape&, const float*, const float*, const float*, float*, void*);
template void stream_scores_forward(const StreamScoresShape&, const __half*, const float*, const float*, float*, void*);
template void stream_scores_backward(const StreamScoresShape&, const float*, const float*, const float*, const float*,
                                     float*, float*, float*, void*);
template void stream_scores_backward(const StreamScoresShape&, const __half*, const float*, const float*, const float*,
                                     __half*, float*, float*, void*);

}  // namespace neuopt::train::cuda
