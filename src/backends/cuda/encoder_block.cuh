// The encoder of a block of rows, from the features to the embeddings. A warp owns 16 rows (nodes) all the way: its
// activations never leave its registers, except for the keys and values of the attention, which all warps of an
// instance share. The residual stream is kept in half precision as operands of the next product; sums, softmax and
// norms are fp32. The weights come as one stream of chunks through shared memory: while all warps multiply by one
// chunk, the next one is on its way.
#pragma once

#include "backends/cuda/encoder_attention.cuh"
#include "backends/cuda/encoder_layers.cuh"

namespace neuopt::backends::cuda::encoder {

template <class Shared>
__device__ Rows run_layer(int layer, Rows rows, const NetworkBuffers& buffers, WeightStream<Shared>& weights,
                          Shared& shared, const uint4* positions, const Place& place) {
  project_to(rows, weights, place, shared.key);
  project_to(rows, weights, place, shared.value);
  Rows attended = project<false>(rows, weights, place.lane);
  __syncthreads();
  if (place.copy >= 0) {
    put_aside(rows, buffers, place);
    attended = attend(attended, shared, shared.mixer[layer], positions, place);
    rows = take_back(buffers, place);
  }
  add_and_normalise(rows, attended, weights, shared, place);
  const Rows inner = project<true>(rows, weights, place.lane);
  add_and_normalise(rows, inner, weights, shared, place);
  return rows;
}

template <class Shared>
__device__ void write_results(const NetworkBuffers& buffers, const Rows& rows, WeightStream<Shared>& weights,
                              Shared& shared, const Place& place) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    const std::uint32_t upper = rows.tile[tile / 2].part[(tile % 2) * 2];
    const std::uint32_t lower = rows.tile[tile / 2].part[(tile % 2) * 2 + 1];
    const int column = 8 * tile + 2 * place.quad;
    store_tile(buffers.embeddings, kDim, place, column, upper, lower);
    float left = unpack(upper).x + unpack(lower).x, right = unpack(upper).y + unpack(lower).y;
#pragma unroll
    for (int offset = 4; offset < 32; offset *= 2) {
      left += __shfl_xor_sync(kAllLanes, left, offset);
      right += __shfl_xor_sync(kAllLanes, right, offset);
    }
    if (place.group == 0) {
      shared.column_sum[place.warp][column] = left;
      shared.column_sum[place.warp][column + 1] = right;
    }
  }
  uint4* key = reinterpret_cast<uint4*>(buffers.keys + place.row() * kKeyWidth) + place.quad;
  for (int chunk = 0; chunk < kKeyChunks; ++chunk) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(chunk), place.lane, out);
    if (place.has_row(0)) key[4 * chunk] = side_by_side(out, 0);
    if (place.has_row(8)) key[4 * chunk + kKeyWidth] = side_by_side(out, 1);
  }
  __syncthreads();
  if (place.copy >= 0 && place.first_row == 0) {
    const int warps = place.slot_rows / 16;
    for (int column = place.lane; column < kDim; column += 32) {
      float sum = 0;
      for (int warp = place.warp; warp < place.warp + warps; ++warp) sum += shared.column_sum[warp][column];
      buffers.mean[place.copy * kDim + column] = sum / static_cast<float>(place.nodes);
    }
  }
}

/// What a warp without an instance does meanwhile where products are made by each warp for itself: its share of copying
/// weights, and waiting at every barrier.
template <class Shared>
__device__ void keep_pace(int layers, WeightStream<Shared>& weights) {
  for (int layer = 0; layer < layers; ++layer) {
    weights.pass(3);
    __syncthreads();  // keys and values
    weights.pass(1);
    __syncthreads();  // norm
    weights.pass(2);
    __syncthreads();  // norm
  }
  weights.pass(kKeyMatrices);
  __syncthreads();  // mean
}

template <class Shared>
std::size_t shared_bytes(int nodes) {
  return sizeof(Shared) + (Shared::kHoldsPositions ? position_bytes(nodes) : 0);
}

/// All instances of this block, `slots` of them at a time; `raw` is its shared memory. Where warps multiply together,
/// those without an instance take part in everything but the attention, with rows of zeros.
template <class Shared, bool kAllTakePart = kWarpgroupProducts>
__device__ void encode_block(const DeviceModel& model, const NetworkBuffers& buffers, int slots, unsigned char* raw) {
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  const uint4* positions = model.position_scores;
  if constexpr (Shared::kHoldsPositions) {
    uint4* held = reinterpret_cast<uint4*>(raw + sizeof(Shared));
    const int words = static_cast<int>(position_bytes(buffers.nodes) / sizeof(uint4));
    for (int i = threadIdx.x; i < words; i += Shared::kThreads) held[i] = model.position_scores[i];
    positions = held;
  }
  for (int layer = 0; layer < model.layers; ++layer)
    for (int i = threadIdx.x; i < static_cast<int>(sizeof(MixerWeights) / 4); i += Shared::kThreads)
      reinterpret_cast<float*>(&shared.mixer[layer])[i] = floats_at(model, model.at.mixer[layer])[i];
  __syncthreads();
  WeightStream<Shared> weights(shared, model);
  for (long first = static_cast<long>(blockIdx.x) * slots; first < buffers.copies;
       first += static_cast<long>(gridDim.x) * slots) {
    const Place place = find_place(buffers, first, slots);
    if (place.copy < 0 && !kAllTakePart) {
      keep_pace(model.layers, weights);
      continue;
    }
    Rows rows = embed(model, buffers, place);
    for (int layer = 0; layer < model.layers; ++layer)
      rows = run_layer(layer, rows, buffers, weights, shared, positions, place);
    write_results(buffers, rows, weights, shared, place);
  }
  await_copies();
}

}  // namespace neuopt::backends::cuda::encoder
