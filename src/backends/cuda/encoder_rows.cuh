// What the parts of the encoder share: the block's shared memory, where a warp's rows lie, the rows in registers, and
// the stream of weights.
#pragma once

#include "backends/cuda/fragments.cuh"

namespace neuopt::backends::cuda::encoder {

constexpr int kRowStride = kDim + 8;  // halves; no two rows of a tile start in the same bank
constexpr int kSteps = kDim / 16;     // A tiles across the width
constexpr int kTiles = kDim / 8;      // C tiles across the width

constexpr int kChunkTiles = 4;                                // of 8 outputs
constexpr int kChunkWords = kChunkTiles * (kSteps / 2) * 32;  // uint4 of a chunk: 128 inputs, 32 outputs
constexpr int kMatrixChunks = kTiles / kChunkTiles;           // of a (d, d) matrix
constexpr int kLayerMatrices = 6;
constexpr int kKeyMatrices = kKeyWidth / kDim;
constexpr int kKeyChunks = kKeyMatrices * kMatrixChunks;

/// Shared memory of a block of kWarpCount warps, which meet once for kChunkCount chunks of weights (1, 2 or 4). The
/// positional scores follow, if they are held there at all.
template <int kWarpCount, bool kPositionsHeld, int kChunkCount>
struct Shared {
  static constexpr int kChunks = kChunkCount;
  static constexpr bool kHoldsPositions = kPositionsHeld;
  static constexpr int kWarps = kWarpCount;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRows = 16 * kWarps;
  // Of more than 8 warps none has the registers to hold its queries during the attention.
  static constexpr bool kKeepsQueries = kWarps > 8;

  uint4 chunk[2][kChunks * kChunkWords];
  __half key[kRows][kRowStride];
  __half value[kRows][kRowStride];
  std::uint32_t query[kKeepsQueries ? kWarps : 1][kKeepsQueries ? kSteps : 1][4][32];  // A tiles in blocks of 8 x 8
  MixerWeights mixer[kMaxLayers];
  float column_sum[kWarps][kDim];
  float partial[kWarps][2];
};

// The kinds of blocks: warps, positional scores in shared memory, chunks of weights at a time. Which is fastest where
// is a matter of measurement; `encode` chooses.
template <int kChunkCount>
using Block = Shared<8, true, kChunkCount>;
template <int kChunkCount>
using LargeBlock = Shared<12, true, kChunkCount>;  // where more instances fit: they hide each other's latency
using FrugalBlock = Shared<8, false, 1>;           // for devices with less shared memory
using LongBlock = Shared<12, false, 2>;            // for instances of more than 128 nodes
using LongestBlock = Shared<16, false, 1>;         // and of more than 192

// The most that a block may have: 99 KiB on consumer devices (compute capability 8.6 and 8.9), 227 KiB on Hopper. With
// more these sizes would silently go back to single precision there.
static_assert(sizeof(FrugalBlock) <= 99 * 1024);
static_assert(sizeof(LongBlock) <= 227 * 1024 && sizeof(LongestBlock) <= 227 * 1024);

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
  /// Row g in a (B, N, ...) array.
  __device__ long row() const { return copy * nodes + first_row + group; }
};

/// A row block's activations, ready to be multiplied. Rows past the last node are zero.
struct Rows {
  TileA tile[kSteps];
};

/// The stream of weight chunks. Every thread of the block calls `next` at the same points.
template <class Shared>
class WeightStream {
 public:
  __device__ WeightStream(Shared& shared, const DeviceModel& model)
      : buffers_(shared.chunk[0]),
        weights_(reinterpret_cast<const uint4*>(model.bytes + model.at.layer[0].key) + threadIdx.x),
        words_((model.layers * kLayerMatrices * kMatrixChunks + kKeyChunks) * kChunkWords) {
    begin();
  }

  /// The next chunk, number `chunk` of its matrix; valid until the next call. After the last comes the first again.
  __device__ StagedMatrix next(int chunk) {
    if (chunk % Shared::kChunks == 0) {
      await_copies();
      show_copies();
      __syncthreads();  // all parts of these chunks are there, and nobody reads the ones before any more
      ready_ = buffers_ + turn_;
      turn_ ^= kWords;
      at_ = at_ + kWords == words_ ? 0 : at_ + kWords;
      begin();
    }
    return ready_ + chunk % Shared::kChunks * kChunkWords;
  }

  /// Lets the chunks of so many matrices go by.
  __device__ void pass(int matrices) {
    for (int chunk = 0; chunk < matrices * kMatrixChunks; ++chunk) next(chunk);
  }

 private:
  static constexpr int kWords = Shared::kChunks * kChunkWords;  // of a buffer

  __device__ void begin() {
    uint4* target = buffers_ + turn_ + threadIdx.x;
    const uint4* source = weights_ + at_;
#pragma unroll
    for (int i = 0; i < kWords; i += Shared::kThreads)
      if (i + Shared::kThreads <= kWords || i + static_cast<int>(threadIdx.x) < kWords)
        begin_copy(target + i, source + i);
  }

  uint4* buffers_;
  StagedMatrix ready_ = nullptr;
  const uint4* weights_;
  int words_;
  int at_ = 0;    // first word on its way
  int turn_ = 0;  // first word of the buffer it goes to
};

/// Writes a C tile's two rows to a (B, N, width) array of halves.
__device__ inline void store_tile(__half* array, int width, const Place& place, int column, std::uint32_t upper,
                                  std::uint32_t lower) {
  std::uint32_t* at = reinterpret_cast<std::uint32_t*>(array + place.row() * width + column);
  if (place.has_row(0)) *at = upper;
  if (place.has_row(8)) at[4 * width] = lower;
}

/// The 8 neighbouring numbers that a lane holds of a chunk of a matrix packed side by side; half 0: row g, 1: row g
/// + 8.
__device__ inline uint4 side_by_side(const TileC (&chunk)[kChunkTiles], int half) {
  const auto pair = [&](int tile) { return pack(chunk[tile].value[2 * half], chunk[tile].value[2 * half + 1]); };
  return make_uint4(pair(0), pair(1), pair(2), pair(3));
}

/// Where a warp's rows wait while the attention needs all registers: in the instance's part of the keys' array, which
/// is written at the end only. The N rows of 4 d numbers there have room for the padded rows of d.
__device__ inline uint4* waiting_place(const NetworkBuffers& buffers, const Place& place) {
  return reinterpret_cast<uint4*>(buffers.keys + place.copy * place.nodes * kKeyWidth) +
         place.first_row / 16 * (kSteps * 32) + place.lane;
}

__device__ inline void put_aside(const Rows& rows, const NetworkBuffers& buffers, const Place& place) {
  uint4* at = waiting_place(buffers, place);
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const TileA& tile = rows.tile[step];
    at[step * 32] = make_uint4(tile.part[0], tile.part[1], tile.part[2], tile.part[3]);
  }
}

__device__ inline Rows take_back(const NetworkBuffers& buffers, const Place& place) {
  const uint4* at = waiting_place(buffers, place);
  Rows rows;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const uint4 tile = at[step * 32];
    rows.tile[step] = TileA{{tile.x, tile.y, tile.z, tile.w}};
  }
  return rows;
}

/// How many instances a block of so many warps has room for.
constexpr int slots_of(int warps, int nodes) { return warps / node_tiles(nodes); }

/// The place of this warp when the block works on `slots` instances, beginning with `first`.
__device__ inline Place find_place(const NetworkBuffers& buffers, long first, int slots) {
  Place place;
  place.lane = threadIdx.x % 32;
  place.group = place.lane / 4;
  place.quad = place.lane % 4;
  place.warp = threadIdx.x / 32;
  place.nodes = buffers.nodes;
  place.slot_rows = 16 * node_tiles(buffers.nodes);
  const int slot = place.warp * 16 / place.slot_rows;
  place.slot_base = slot * place.slot_rows;
  place.first_row = place.warp * 16 - place.slot_base;
  place.copy = slot < slots && first + slot < buffers.copies ? first + slot : -1;
  return place;
}

}  // namespace neuopt::backends::cuda::encoder
