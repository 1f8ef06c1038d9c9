// The encoder in one kernel. A warp owns 16 rows (nodes) from the features to the embeddings: its activations never
// leave its registers, except for the keys and values of the attention, which all warps of an instance share. The
// residual stream is kept in half precision as operands of the next product; sums, mixer, softmax and norms are fp32.
// The weights come as one stream of chunks through shared memory: while all warps multiply by one chunk, the next one
// is on its way.
#include <algorithm>

#include "backends/cuda/fragments.cuh"
#include "backends/cuda/network.h"
#include "core/cuda_check.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kWarps = kMaxRows / 16;
constexpr int kRowStride = kDim + 8;  // halves; no two rows of a tile start in the same bank
constexpr int kSteps = kDim / 16;     // A tiles across the width
constexpr int kTiles = kDim / 8;      // C tiles across the width
constexpr unsigned kAllLanes = 0xffffffffu;
constexpr float kMasked = -1e30f;

constexpr int kChunkTiles = 4;                                // of 8 outputs
constexpr int kChunkWords = kChunkTiles * (kSteps / 2) * 32;  // uint4 of a chunk: 128 inputs, 32 outputs
constexpr int kMatrixChunks = kTiles / kChunkTiles;           // of a (d, d) matrix
constexpr int kLayerMatrices = 6;

/// Shared memory of a block; the positional scores follow.
struct Shared {
  uint4 chunk[2][kChunkWords];
  __half key[kMaxRows][kRowStride];
  __half value[kMaxRows][kRowStride];
  MixerWeights mixer[kMaxLayers];
  float column_sum[kWarps][kDim];
  float partial[kWarps][2];
};

/// Where a warp's rows lie.
struct Place {
  int lane, group, quad;  // g = lane / 4, t = lane % 4
  int warp;
  int slot_rows;  // rows of an instance, padded to whole tiles
  int first_row;  // of the instance's rows: the warp's first
  int slot_base;  // the instance's first row in the shared arrays
  int nodes;
  long copy;  // -1: this warp has no instance

  __device__ bool has_row(int offset) const { return copy >= 0 && first_row + group + offset < nodes; }
};

/// A row block's activations, ready to be multiplied.
struct Rows {
  TileA tile[kSteps];
};

__device__ float quad_sum(float value) {
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

__device__ float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, 1));
  return fmaxf(value, __shfl_xor_sync(kAllLanes, value, 2));
}

/// The stream of weight chunks. Every thread of the block calls `next` at the same points.
class WeightStream {
 public:
  __device__ WeightStream(Shared& shared, const DeviceModel& model)
      : shared_(shared),
        weights_(reinterpret_cast<const uint4*>(model.bytes + model.at.layer[0].key)),
        chunks_(model.layers * kLayerMatrices * kMatrixChunks + kKeyWidth / kDim * kMatrixChunks) {
    begin(0);
  }

  /// The next chunk; valid until the next call. After the last comes the first again.
  __device__ const uint4* next() {
    await_copies();
    __syncthreads();  // all parts of this chunk are there, and nobody reads the one before any more
    const uint4* ready = shared_.chunk[turn_];
    turn_ ^= 1;
    number_ = number_ + 1 == chunks_ ? 0 : number_ + 1;
    begin(number_);
    return ready;
  }

 private:
  __device__ void begin(int number) {
    for (int i = threadIdx.x; i < kChunkWords; i += blockDim.x)
      begin_copy(&shared_.chunk[turn_][i], weights_ + static_cast<long>(number) * kChunkWords + i);
  }

  Shared& shared_;
  const uint4* weights_;
  int chunks_;
  int number_ = 0;  // on its way
  int turn_ = 0;    // buffer it goes to
};

__device__ PackedMatrix matrix_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<PackedMatrix>(model.bytes + offset);
}

__device__ const float* floats_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<const float*>(model.bytes + offset);
}

/// The two features 2t, 2t+1 of a row, split into high and low halves.
__device__ void load_features(const NetworkBuffers& buffers, int features, const Place& place, int offset,
                              std::uint32_t& high, std::uint32_t& low) {
  float2 pair{0, 0};
  if (place.has_row(offset) && 2 * place.quad < features) {
    const long row = place.copy * buffers.nodes + place.first_row + place.group + offset;
    pair = *reinterpret_cast<const float2*>(buffers.features + row * features + 2 * place.quad);
  }
  high = pack(pair.x, pair.y);
  const float2 rounded = unpack(high);
  low = pack(pair.x - rounded.x, pair.y - rounded.y);
}

/// Embedding MLP: features -> d/2 -> d with ReLU between.
__device__ Rows embed(const DeviceModel& model, const NetworkBuffers& buffers, const Place& place) {
  constexpr int kHiddenTiles = kEmbedHidden / 8;
  std::uint32_t high0, low0, high1, low1;
  load_features(buffers, model.features, place, 0, high0, low0);
  load_features(buffers, model.features, place, 8, high1, low1);
  const TileA input[2] = {{{high0, high1, low0, low1}}, {{high0, high1, 0u, 0u}}};
  TileC hidden[kHiddenTiles];
  const float* bias1 = floats_at(model, model.at.embed1_bias);
#pragma unroll
  for (int tile = 0; tile < kHiddenTiles; ++tile) {
    const float left = bias1[8 * tile + 2 * place.quad], right = bias1[8 * tile + 2 * place.quad + 1];
    hidden[tile] = TileC{{left, right, left, right}};
  }
  multiply_rows(input, matrix_at(model, model.at.embed1), 0, place.lane, hidden);
  TileA inner[kHiddenTiles / 2];
#pragma unroll
  for (int step = 0; step < kHiddenTiles / 2; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      hidden[2 * step].value[i] = fmaxf(hidden[2 * step].value[i], 0.0f);
      hidden[2 * step + 1].value[i] = fmaxf(hidden[2 * step + 1].value[i], 0.0f);
    }
    inner[step] = to_operand(hidden[2 * step], hidden[2 * step + 1]);
  }
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
    rows.tile[step] = to_operand(out[0], out[1]);
  }
  return rows;
}

/// rows * matrix, kept as operands.
template <bool kRelu>
__device__ Rows project(const Rows& rows, WeightStream& weights, int lane) {
  Rows result;
#pragma unroll
  for (int step = 0; step < kSteps; step += 2) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(), lane, out);
    if (kRelu) {
#pragma unroll
      for (int tile = 0; tile < 4; ++tile)
#pragma unroll
        for (int i = 0; i < 4; ++i) out[tile].value[i] = fmaxf(out[tile].value[i], 0.0f);
    }
    result.tile[step] = to_operand(out[0], out[1]);
    result.tile[step + 1] = to_operand(out[2], out[3]);
  }
  return result;
}

/// rows * matrix into a shared array, row by row.
__device__ void project_to(const Rows& rows, WeightStream& weights, const Place& place, __half (*shared)[kRowStride]) {
#pragma unroll
  for (int first = 0; first < kTiles; first += kChunkTiles) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(), place.lane, out);
    const int row = place.slot_base + place.first_row + place.group;
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
      const int column = 8 * (first + tile) + 2 * place.quad;
      *reinterpret_cast<std::uint32_t*>(&shared[row][column]) = pack(out[tile].value[0], out[tile].value[1]);
      *reinterpret_cast<std::uint32_t*>(&shared[row + 8][column]) = pack(out[tile].value[2], out[tile].value[3]);
    }
  }
}

/// Products of the 16 queries with 8 keys for all heads; rows of C are queries, columns keys.
__device__ void score_tile(const Rows& query, const Shared& shared, const Place& place, int first_key,
                           TileC (&scores)[kHeads]) {
  const __half* key = shared.key[place.slot_base + first_key + place.group];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    scores[head] = TileC{};
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      const __half* at = key + head * kHeadDim + 16 * step + 2 * place.quad;
      multiply_add(scores[head], query.tile[2 * head + step], *reinterpret_cast<const std::uint32_t*>(at),
                   *reinterpret_cast<const std::uint32_t*>(at + 8));
    }
  }
}

/// The positional scores of a tile's pairs.
__device__ void load_positions(const __half* position_scores, const Place& place, int first_key,
                               TileC (&position)[kHeads]) {
  const int stride = position_stride(place.nodes), key = first_key + 2 * place.quad;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = min(place.first_row + place.group + 8 * half, place.nodes - 1);
    const uint4 pairs = *reinterpret_cast<const uint4*>(position_scores + (row * stride + key) * kHeads);
    const float2 left01 = unpack(pairs.x), left23 = unpack(pairs.y);
    const float2 right01 = unpack(pairs.z), right23 = unpack(pairs.w);
    position[0].value[2 * half] = left01.x, position[0].value[2 * half + 1] = right01.x;
    position[1].value[2 * half] = left01.y, position[1].value[2 * half + 1] = right01.y;
    position[2].value[2 * half] = left23.x, position[2].value[2 * half + 1] = right23.x;
    position[3].value[2 * half] = left23.y, position[3].value[2 * half + 1] = right23.y;
  }
}

/// Mixes the products of two neighbouring tiles with the positional scores of the same pairs, in place, and masks keys
/// past the last node. Both tiles share what is read of the mixer.
__device__ void mix_tiles(const MixerWeights& mixer, const __half* position_scores, const Place& place, int first_key,
                          TileC (&scores)[2][kHeads]) {
  TileC position[2][kHeads], mixed[2][kHeads];
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
    load_positions(position_scores, place, first_key + 8 * tile, position[tile]);
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i) mixed[tile][head].value[i] = mixer.bias2[head];
  }
#pragma unroll
  for (int m = 0; m < 8; ++m) {
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float hidden = mixer.bias1[m];
#pragma unroll
        for (int head = 0; head < kHeads; ++head) {
          hidden += mixer.input_weight[m][head] * scores[tile][head].value[i];
          hidden += mixer.input_weight[m][kHeads + head] * position[tile][head].value[i];
        }
        hidden = fmaxf(hidden, 0.0f);
#pragma unroll
        for (int head = 0; head < kHeads; ++head) mixed[tile][head].value[i] += mixer.output_weight[m][head] * hidden;
      }
    }
  }
#pragma unroll
  for (int tile = 0; tile < 2; ++tile)
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const bool there = first_key + 8 * tile + 2 * place.quad + (i & 1) < place.nodes;
        scores[tile][head].value[i] = there ? mixed[tile][head].value[i] : kMasked;
      }
}

/// Running softmax of one head: rows g and g + 8.
struct Softmax {
  float largest[2] = {kMasked, kMasked};
  float sum[2] = {0, 0};  // of this lane's keys
};

/// Turns the scores of 16 keys into weights relative to the running maximum and rescales what was summed before.
__device__ void add_to_softmax(Softmax& state, TileC& left, TileC& right, TileC (&output)[kHeadDim / 8]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* l = left.value + 2 * half;
    float* r = right.value + 2 * half;
    const float largest = fmaxf(state.largest[half], quad_max(fmaxf(fmaxf(l[0], l[1]), fmaxf(r[0], r[1]))));
    const float scale = __expf(state.largest[half] - largest);
    state.largest[half] = largest;
    l[0] = __expf(l[0] - largest);
    l[1] = __expf(l[1] - largest);
    r[0] = __expf(r[0] - largest);
    r[1] = __expf(r[1] - largest);
    state.sum[half] = state.sum[half] * scale + (l[0] + l[1]) + (r[0] + r[1]);
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      output[tile].value[2 * half] *= scale;
      output[tile].value[2 * half + 1] *= scale;
    }
  }
}

/// Synthesis attention of the warp's 16 queries over all keys of the instance; 16 keys at a time.
__device__ Rows attend(const Rows& query, const Shared& shared, const MixerWeights& mixer,
                       const __half* position_scores, const Place& place) {
  TileC output[kHeads][kHeadDim / 8] = {};
  Softmax softmax[kHeads];
  for (int first = 0; first < place.nodes; first += 16) {
    TileC scores[2][kHeads];
    score_tile(query, shared, place, first, scores[0]);
    score_tile(query, shared, place, first + 8, scores[1]);
    mix_tiles(mixer, position_scores, place, first, scores);
    // Lane i names row i % 8 of block i / 8; blocks are (keys 0-7, 8-15) x (columns 0-7, 8-15).
    const int key = place.slot_base + first + (place.lane & 15);
    const int column = (place.lane >> 4) * 8;
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      add_to_softmax(softmax[head], scores[0][head], scores[1][head], output[head]);
      const TileA weights = to_operand(scores[0][head], scores[1][head]);
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        std::uint32_t b[4];
        load_transposed(&shared.value[key][head * kHeadDim + 16 * pair + column], b);
        multiply_add(output[head][2 * pair], weights, b[0], b[1]);
        multiply_add(output[head][2 * pair + 1], weights, b[2], b[3]);
      }
    }
  }
  Rows result;
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    const float scale0 = 1.0f / quad_sum(softmax[head].sum[0]), scale1 = 1.0f / quad_sum(softmax[head].sum[1]);
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      output[head][tile].value[0] *= scale0;
      output[head][tile].value[1] *= scale0;
      output[head][tile].value[2] *= scale1;
      output[head][tile].value[3] *= scale1;
    }
    result.tile[2 * head] = to_operand(output[head][0], output[head][1]);
    result.tile[2 * head + 1] = to_operand(output[head][2], output[head][3]);
  }
  return result;
}

/// Sum over the warps of this warp's instance. All threads of the block take part.
__device__ float2 instance_sums(Shared& shared, const Place& place, float sum, float squares) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, offset);
    squares += __shfl_xor_sync(kAllLanes, squares, offset);
  }
  if (place.lane == 0) {
    shared.partial[place.warp][0] = sum;
    shared.partial[place.warp][1] = squares;
  }
  __syncthreads();
  const int warps = place.slot_rows / 16, first = place.warp / warps * warps;
  float2 total{0, 0};
  for (int warp = first; warp < min(first + warps, kWarps); ++warp) {
    total.x += shared.partial[warp][0];
    total.y += shared.partial[warp][1];
  }
  __syncthreads();
  return total;
}

/// rows = Norm(rows + input * matrix): mean 0 and unbiased variance 1 over all nodes and channels of the instance.
__device__ void add_and_normalise(Rows& rows, const Rows& input, WeightStream& weights, Shared& shared,
                                  const Place& place) {
  TileC out[kTiles];
  float sum = 0, squares = 0;
#pragma unroll
  for (int first = 0; first < kTiles; first += 4) {
    TileC part[4];
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
      const TileA& old = rows.tile[(first + tile) / 2];
      const float2 upper = unpack(old.part[(tile % 2) * 2]), lower = unpack(old.part[(tile % 2) * 2 + 1]);
      part[tile] = TileC{{upper.x, upper.y, lower.x, lower.y}};
    }
    multiply_staged(input.tile, weights.next(), place.lane, part);
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float value = place.has_row(i < 2 ? 0 : 8) ? part[tile].value[i] : 0.0f;
        out[first + tile].value[i] = value;
        sum += value;
        squares += value * value;
      }
    }
  }
  const float2 total = instance_sums(shared, place, sum, squares);
  const float count = static_cast<float>(place.nodes) * kDim;
  const float mean = total.x / count;
  const float scale = rsqrtf((total.y - count * mean * mean) / (count - 1.0f) + 1e-5f);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool there = place.has_row(i < 2 ? 0 : 8);
      out[2 * step].value[i] = there ? (out[2 * step].value[i] - mean) * scale : 0.0f;
      out[2 * step + 1].value[i] = there ? (out[2 * step + 1].value[i] - mean) * scale : 0.0f;
    }
    rows.tile[step] = to_operand(out[2 * step], out[2 * step + 1]);
  }
}

/// Writes a C tile's two rows to a (B, N, width) array of halves.
__device__ void store_tile(__half* array, int width, const Place& place, int column, std::uint32_t upper,
                           std::uint32_t lower) {
  const long row = place.copy * place.nodes + place.first_row + place.group;
  if (place.has_row(0)) *reinterpret_cast<std::uint32_t*>(array + row * width + column) = upper;
  if (place.has_row(8)) *reinterpret_cast<std::uint32_t*>(array + (row + 8) * width + column) = lower;
}

/// Puts the rows aside in the array of embeddings, and takes them back: the attention needs all registers.
__device__ void put_aside(const Rows& rows, const NetworkBuffers& buffers, const Place& place) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile)
    store_tile(buffers.embeddings, kDim, place, 8 * tile + 2 * place.quad, rows.tile[tile / 2].part[(tile % 2) * 2],
               rows.tile[tile / 2].part[(tile % 2) * 2 + 1]);
}

__device__ Rows take_back(const NetworkBuffers& buffers, const Place& place) {
  const long row = place.copy * place.nodes + place.first_row + place.group;
  Rows rows{};
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    const __half* at = buffers.embeddings + row * kDim + 8 * tile + 2 * place.quad;
    if (place.has_row(0)) rows.tile[tile / 2].part[(tile % 2) * 2] = *reinterpret_cast<const std::uint32_t*>(at);
    if (place.has_row(8))
      rows.tile[tile / 2].part[(tile % 2) * 2 + 1] = *reinterpret_cast<const std::uint32_t*>(at + 8 * kDim);
  }
  return rows;
}

__device__ Rows run_layer(int layer, Rows rows, const NetworkBuffers& buffers, WeightStream& weights, Shared& shared,
                          const __half* position_scores, const Place& place) {
  project_to(rows, weights, place, shared.key);
  project_to(rows, weights, place, shared.value);
  Rows attended = project<false>(rows, weights, place.lane);
  put_aside(rows, buffers, place);
  __syncthreads();
  // Rows past the last instance have no keys.
  if (place.copy >= 0) attended = attend(attended, shared, shared.mixer[layer], position_scores, place);
  rows = take_back(buffers, place);
  add_and_normalise(rows, attended, weights, shared, place);
  const Rows inner = project<true>(rows, weights, place.lane);
  add_and_normalise(rows, inner, weights, shared, place);
  return rows;
}

__device__ void write_results(const NetworkBuffers& buffers, const Rows& rows, WeightStream& weights, Shared& shared,
                              const Place& place) {
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
  for (int first = 0; first < kKeyWidth / 8; first += kChunkTiles) {
    TileC out[kChunkTiles] = {};
    multiply_staged(rows.tile, weights.next(), place.lane, out);
#pragma unroll
    for (int tile = 0; tile < 4; ++tile)
      store_tile(buffers.keys, kKeyWidth, place, 8 * (first + tile) + 2 * place.quad,
                 pack(out[tile].value[0], out[tile].value[1]), pack(out[tile].value[2], out[tile].value[3]));
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
  __syncthreads();
}

__device__ Place find_place(const NetworkBuffers& buffers, long block_instance) {
  Place place;
  place.lane = threadIdx.x % 32;
  place.group = place.lane / 4;
  place.quad = place.lane % 4;
  place.warp = threadIdx.x / 32;
  place.nodes = buffers.nodes;
  place.slot_rows = (buffers.nodes + 15) / 16 * 16;
  const int slot = place.warp * 16 / place.slot_rows;
  place.slot_base = slot * place.slot_rows;
  place.first_row = place.warp * 16 - place.slot_base;
  const bool fits = place.slot_base + place.slot_rows <= kMaxRows;
  place.copy = fits && block_instance + slot < buffers.copies ? block_instance + slot : -1;
  return place;
}

__global__ void __launch_bounds__(kWarps * 32, 1) encoder_kernel(DeviceModel model, NetworkBuffers buffers) {
  extern __shared__ __align__(16) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  __half* position_scores = reinterpret_cast<__half*>(raw + sizeof(Shared));
  const int words = kHeads * buffers.nodes * position_stride(buffers.nodes) / 8;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    reinterpret_cast<uint4*>(position_scores)[i] = reinterpret_cast<const uint4*>(model.position_scores)[i];
  for (int layer = 0; layer < model.layers; ++layer)
    for (int i = threadIdx.x; i < static_cast<int>(sizeof(MixerWeights) / 4); i += blockDim.x)
      reinterpret_cast<float*>(&shared.mixer[layer])[i] = floats_at(model, model.at.mixer[layer])[i];
  __syncthreads();
  WeightStream weights(shared, model);
  const int slots = kMaxRows / ((buffers.nodes + 15) / 16 * 16);
  for (long first = static_cast<long>(blockIdx.x) * slots; first < buffers.copies;
       first += static_cast<long>(gridDim.x) * slots) {
    const Place place = find_place(buffers, first);
    Rows rows = embed(model, buffers, place);
    for (int layer = 0; layer < model.layers; ++layer)
      rows = run_layer(layer, rows, buffers, weights, shared, position_scores, place);
    write_results(buffers, rows, weights, shared, place);
  }
  await_copies();
}

}  // namespace

std::size_t encoder_shared_bytes(int nodes) {
  return sizeof(Shared) +
         sizeof(__half) * static_cast<std::size_t>(kHeads * nodes) * static_cast<std::size_t>(position_stride(nodes));
}

void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream) {
  const std::size_t shared = encoder_shared_bytes(buffers.nodes);
  check_cuda(
      cudaFuncSetAttribute(encoder_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
      "shared memory of the encoder");
  const int slots = kMaxRows / ((buffers.nodes + 15) / 16 * 16);
  const int blocks = std::min(multiprocessors, (buffers.copies + slots - 1) / slots);
  encoder_kernel<<<blocks, kWarps * 32, shared, stream>>>(model, buffers);
  check_cuda(cudaGetLastError(), "encoder");
}

}  // namespace neuopt::backends::cuda
