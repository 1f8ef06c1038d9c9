// The decoder's products: hidden states and queries for many searches at a time, then the scores of all nodes of each
// search.
#include "backends/cuda/decoder_streams.cuh"
#include "backends/cuda/scores.h"
#include "device/cuda_check.h"
#include "env/gire.h"
#include "policy/logits.h"

namespace neuopt::backends::cuda {
namespace decoder {
namespace {

/// A block for 16 kRowTiles searches and one stream. With many searches 16 warps work on a multiprocessor.
template <int kRowTiles, int kWarps>
__global__ void __launch_bounds__(kWarps * 32, kRowTiles == 1 ? 1 : 16 / kWarps)
    streams_kernel(DeviceModel model, NetworkBuffers buffers, int k) {
  using Block = StreamBlock<kRowTiles, kWarps>;
  __shared__ typename Block::Shared shared;
  advance_block(Block{model, buffers, shared, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x) * Block::kRows,
                      static_cast<int>(threadIdx.x) % 32, static_cast<int>(threadIdx.x) / 32},
                k);
}

template <int kRowTiles, int kWarps>
void launch_streams(const DeviceModel& model, const NetworkBuffers& buffers, int k, cudaStream_t stream) {
  constexpr int kRows = 16 * kRowTiles;
  const dim3 blocks(static_cast<unsigned>((buffers.copies + kRows - 1) / kRows), 2);
  streams_kernel<kRowTiles, kWarps><<<blocks, kWarps * 32, 0, stream>>>(model, buffers, k);
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
  constexpr int kInputs = env::kExplorationFeatures, kHidden = policy::kHyperHidden;
  __shared__ float hidden[kHidden];
  if (threadIdx.x < kHidden) {
    float sum = floats_at(model, model.at.hyper1_bias)[threadIdx.x];
    for (int i = 0; i < kInputs; ++i)
      sum += floats_at(model, model.at.hyper1)[threadIdx.x * kInputs + i] * buffers.exploration[copy * kInputs + i];
    hidden[threadIdx.x] = fmaxf(sum, 0.0f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * kDim; i += blockDim.x) {
    float sum = floats_at(model, model.at.hyper2_bias)[i];
    for (int m = 0; m < kHidden; ++m) sum += floats_at(model, model.at.hyper2)[i * kHidden + m] * hidden[m];
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
}  // namespace decoder

void advance_streams(const DeviceModel& model, const NetworkBuffers& buffers, int k, cudaStream_t stream) {
  // Many rows to a block read the weights less often; few searches are spread over more blocks.
  constexpr int kManyCopies = 4096;
  constexpr int kManyRowTiles = 2;  // 2 or 4
  if (buffers.copies >= kManyCopies)
    decoder::launch_streams<kManyRowTiles, 4 * kManyRowTiles>(model, buffers, k, stream);
  else
    decoder::launch_streams<1, 8>(model, buffers, k, stream);
  check_cuda(cudaGetLastError(), "decoder streams");
}

void score_nodes(const DeviceModel& model, const NetworkBuffers& buffers, float* scores, cudaStream_t stream) {
  decoder::scores_kernel<<<buffers.copies, decoder::kScoreWarps * 32, 0, stream>>>(model, buffers, scores);
  check_cuda(cudaGetLastError(), "decoder scores");
}

}  // namespace neuopt::backends::cuda
