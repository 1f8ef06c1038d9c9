// One block for each instance; its numbers are read once and stay in registers, eight to a word.
#pragma once

#include "device/tensor_core.cuh"

namespace neuopt::train::cuda::norm {

constexpr float kEpsilon = 1e-5f;

struct Eight {
  float value[8];
};

__device__ inline Eight load(const __half* at) {
  const uint4 word = *reinterpret_cast<const uint4*>(at);
  const float2 a = unpack(word.x), b = unpack(word.y), c = unpack(word.z), d = unpack(word.w);
  return {{a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y}};
}

__device__ inline void store(__half* at, const Eight& eight) {
  const float* v = eight.value;
  *reinterpret_cast<uint4*>(at) = uint4{pack(v[0], v[1]), pack(v[2], v[3]), pack(v[4], v[5]), pack(v[6], v[7])};
}

/// Sums of two numbers over the block, in every thread. `partial` must not be in use by an earlier call.
template <int kWarps>
__device__ inline float2 block_sum(float2 value, float2 (&partial)[kWarps]) {
  value = {warp_sum(value.x), warp_sum(value.y)};
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  float2 sum{0, 0};
  for (const float2& part : partial) sum = {sum.x + part.x, sum.y + part.y};
  return sum;
}

/// kWords: words for each of kThreads threads, which have at least numbers / 8 together.
template <int kThreads, int kWords>
__device__ inline void forward(int numbers, const __half* x, const __half* y, __half* result, float* rates) {
  __shared__ float2 partial[2][kThreads / 32];
  const long first = static_cast<long>(blockIdx.x) * numbers;
  Eight word[kWords];
  float sum = 0;
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const int at = static_cast<int>(threadIdx.x + w * kThreads) * 8;
    word[w] = Eight{};
    if (at < numbers) {
      const Eight a = load(x + first + at), b = load(y + first + at);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += word[w].value[i] = a.value[i] + b.value[i];
    }
  }
  const float mean = block_sum({sum, 0}, partial[0]).x / static_cast<float>(numbers);
  float squares = 0;
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const bool there = static_cast<int>(threadIdx.x + w * kThreads) * 8 < numbers;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      word[w].value[i] -= mean;
      squares += there ? word[w].value[i] * word[w].value[i] : 0.0f;
    }
  }
  const float variance = block_sum({squares, 0}, partial[1]).x / static_cast<float>(numbers - 1);
  const float rate = 1.0f / sqrtf(variance + kEpsilon);
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const int at = static_cast<int>(threadIdx.x + w * kThreads) * 8;
#pragma unroll
    for (int i = 0; i < 8; ++i) word[w].value[i] *= rate;
    if (at < numbers) store(result + first + at, word[w]);
  }
  if (threadIdx.x == 0) rates[blockIdx.x] = rate;
}

template <int kThreads, int kWords>
__device__ inline void backward(int numbers, const __half* result, const float* rates, const __half* result_gradient,
                                __half* gradient) {
  __shared__ float2 partial[kThreads / 32];
  const long first = static_cast<long>(blockIdx.x) * numbers;
  uint4 of_result[kWords], value[kWords];  // as they are stored: half the registers
  float2 sums{0, 0};                       // of the gradient, and of its products with the result
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const int at = static_cast<int>(threadIdx.x + w * kThreads) * 8;
    if (at >= numbers) continue;
    of_result[w] = *reinterpret_cast<const uint4*>(result_gradient + first + at);
    value[w] = *reinterpret_cast<const uint4*>(result + first + at);
    const Eight g = load(reinterpret_cast<const __half*>(&of_result[w]));
    const Eight r = load(reinterpret_cast<const __half*>(&value[w]));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sums.x += g.value[i];
      sums.y += g.value[i] * r.value[i];
    }
  }
  sums = block_sum(sums, partial);
  const float rate = rates[blockIdx.x];
  const float mean = sums.x / static_cast<float>(numbers), slope = sums.y / static_cast<float>(numbers - 1);
#pragma unroll
  for (int w = 0; w < kWords; ++w) {
    const int at = static_cast<int>(threadIdx.x + w * kThreads) * 8;
    if (at >= numbers) continue;
    Eight g = load(reinterpret_cast<const __half*>(&of_result[w]));
    const Eight r = load(reinterpret_cast<const __half*>(&value[w]));
#pragma unroll
    for (int i = 0; i < 8; ++i) g.value[i] = rate * (g.value[i] - mean - r.value[i] * slope);
    store(gradient + first + at, g);
  }
}

}  // namespace neuopt::train::cuda::norm
