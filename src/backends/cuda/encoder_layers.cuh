// The encoder's products: embedding, projections, and the residual with its norm.
#pragma once

#include "backends/cuda/encoder_rows.cuh"

namespace neuopt::backends::cuda::encoder {

/// The two features 2t, 2t+1 after the first so many of a row, split into high and low halves.
__device__ inline void load_features(const NetworkBuffers& buffers, int features, const Place& place, int offset,
                                     int first, std::uint32_t& high, std::uint32_t& low) {
  float2 pair{0, 0};
  const int feature = first + 2 * place.quad;
  if (place.has_row(offset) && feature < features) {
    const long row = place.row() + offset;
    pair = *reinterpret_cast<const float2*>(buffers.features + row * features + feature);
  }
  high = pack(pair.x, pair.y);
  const float2 rounded = unpack(high);
  low = pack(pair.x - rounded.x, pair.y - rounded.y);
}

/// Adds the first embedding layer to its bias. The order of the inputs is that of split_embedding.
template <int kTiles>
__device__ inline void embed_features(const DeviceModel& model, const NetworkBuffers& buffers, const Place& place,
                                      TileC (&hidden)[kTiles]) {
  std::uint32_t high[4], low[4];  // rows g and g + 8 of features 2t, 2t + 1, then those of the next eight
#pragma unroll
  for (int i = 0; i < 2; ++i) load_features(buffers, model.features, place, 8 * i, 0, high[i], low[i]);
  if (model.features <= kFewFeatures) {
    const TileA input[2] = {{{high[0], high[1], low[0], low[1]}}, {{high[0], high[1], 0u, 0u}}};
    return multiply_rows(input, matrix_at(model, model.at.embed1), 0, place.lane, hidden);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
    load_features(buffers, model.features, place, 8 * i, kFewFeatures, high[2 + i], low[2 + i]);
  const TileA input[4] = {{{high[0], high[1], high[2], high[3]}},
                          {{low[0], low[1], low[2], low[3]}},
                          {{high[0], high[1], high[2], high[3]}},
                          {{0u, 0u, 0u, 0u}}};
  multiply_rows(input, matrix_at(model, model.at.embed1), 0, place.lane, hidden);
}

/// Embedding MLP: features -> d/2 -> d with ReLU between.
__device__ inline Rows embed(const DeviceModel& model, const NetworkBuffers& buffers, const Place& place) {
  constexpr int kHiddenTiles = kEmbedHidden / 8;
  TileC hidden[kHiddenTiles];
  const float* bias1 = floats_at(model, model.at.embed1_bias);
#pragma unroll
  for (int tile = 0; tile < kHiddenTiles; ++tile) {
    const float left = bias1[8 * tile + 2 * place.quad], right = bias1[8 * tile + 2 * place.quad + 1];
    hidden[tile] = TileC{{left, right, left, right}};
  }
  embed_features(model, buffers, place, hidden);
  TileA inner[kHiddenTiles / 2];
#pragma unroll
  for (int step = 0; step < kHiddenTiles / 2; ++step)
    inner[step] = to_positive_operand(hidden[2 * step], hidden[2 * step + 1]);
  const float* bias2 = floats_at(model, model.at.embed2_bias);
  Rows rows;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    TileC out[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int column = 8 * (2 * step + i) + 2 * place.quad;
      out[i] = TileC{{bias2[column], bias2[column + 1], bias2[column], bias2[column + 1]}};
    }
    multiply_rows(inner, matrix_at(model, model.at.embed2), 2 * step, place.lane, out);
    const TileA both = to_operand(out[0], out[1]);
#pragma unroll
    for (int i = 0; i < 4; ++i) rows.tile[step].part[i] = place.has_row(i % 2 * 8) ? both.part[i] : 0u;
  }
  return rows;
}

/// rows * matrix, kept as operands.
template <bool kRelu, class Stream>
__device__ Rows project(const Rows& rows, Stream& weights, int lane) {
  Rows result;
#pragma unroll
  for (int step = 0; step < kSteps; step += 2) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(step / 2), lane, out);
    result.tile[step] = kRelu ? to_positive_operand(out[0], out[1]) : to_operand(out[0], out[1]);
    result.tile[step + 1] = kRelu ? to_positive_operand(out[2], out[3]) : to_operand(out[2], out[3]);
  }
  return result;
}

/// rows * matrix into a shared array, row by row. The matrix is packed side by side.
template <class Stream>
__device__ void project_to(const Rows& rows, Stream& weights, const Place& place, __half (*shared)[kRowStride]) {
  __half* row = shared[place.slot_base + place.first_row + place.group];
  uint4* at = reinterpret_cast<uint4*>(row) + place.quad;
#pragma unroll
  for (int chunk = 0; chunk < kMatrixChunks; ++chunk) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(chunk), place.lane, out);
    at[4 * chunk] = side_by_side(out, 0);
    at[4 * chunk + kRowStride] = side_by_side(out, 1);
  }
}

/// Sum over the warps of this warp's instance. All threads of the block take part, and meet at a barrier before the
/// next time.
template <class Shared>
__device__ float2 instance_sums(Shared& shared, const Place& place, float sum, float squares) {
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (place.lane == 0) {
    shared.partial[place.warp][0] = sum;
    shared.partial[place.warp][1] = squares;
  }
  __syncthreads();
  const int warps = place.slot_rows / 16, first = place.slot_base / 16;
  float2 total{0, 0};
  for (int warp = first; warp < first + warps && warp < Shared::kWarps; ++warp) {
    total.x += shared.partial[warp][0];
    total.y += shared.partial[warp][1];
  }
  return total;
}

/// rows = Norm(rows + input * matrix): mean 0 and unbiased variance 1 over all nodes and channels of the instance. Rows
/// past the last node are zero before and after.
template <class Shared>
__device__ void add_and_normalise(Rows& rows, const Rows& input, WeightStream<Shared>& weights, Shared& shared,
                                  const Place& place) {
  TileC out[kTiles];
  float sum = 0, squares = 0;
#pragma unroll
  for (int first = 0; first < kTiles; first += kChunkTiles) {
    TileC part[kChunkTiles];
#pragma unroll
    for (int tile = 0; tile < kChunkTiles; ++tile) {
      const TileA& old = rows.tile[(first + tile) / 2];
      const float2 upper = unpack(old.part[(tile % 2) * 2]), lower = unpack(old.part[(tile % 2) * 2 + 1]);
      part[tile] = TileC{{upper.x, upper.y, lower.x, lower.y}};
    }
    multiply_staged(input.tile, weights.next(first / kChunkTiles), place.lane, part);
#pragma unroll
    for (int tile = 0; tile < kChunkTiles; ++tile) {
      out[first + tile] = part[tile];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        sum += part[tile].value[i];
        squares += part[tile].value[i] * part[tile].value[i];
      }
    }
  }
  const float2 total = instance_sums(shared, place, sum, squares);
  const float count = static_cast<float>(place.nodes) * kDim;
  const float mean = total.x / count;
  const float scale = rsqrtf((total.y - count * mean * mean) / (count - 1.0f) + 1e-5f);
  const float scales[2] = {place.has_row(0) ? scale : 0.0f, place.has_row(8) ? scale : 0.0f};
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float row_scale = scales[i / 2], shift = -mean * row_scale;
      out[2 * step].value[i] = out[2 * step].value[i] * row_scale + shift;
      out[2 * step + 1].value[i] = out[2 * step + 1].value[i] * row_scale + shift;
    }
    rows.tile[step] = to_operand(out[2 * step], out[2 * step + 1]);
  }
}

}  // namespace neuopt::backends::cuda::encoder
