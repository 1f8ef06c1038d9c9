// Packing of weights that are on the device already: what pack_model and pack_position_scores do on the host.
#pragma once

#include <cuda_fp16.h>

#include "backends/cuda/packed_model.h"

namespace neuopt::backends::cuda {

/// weights: the model's flat array; bytes: the packed weights.
__device__ inline void pack_number(const PackedNumber& number, const float* weights, std::uint8_t* bytes) {
  const float value = number.factor * weights[number.source];
  if (number.as == PackedNumber::As::single) {
    *reinterpret_cast<float*>(bytes + number.at) = value;
    return;
  }
  const float rest = value - __half2float(__float2half_rn(value));
  *reinterpret_cast<__half*>(bytes + number.at) = __float2half_rn(number.as == PackedNumber::As::half ? value : rest);
}

/// scores: (heads, nodes, nodes); index counts them in this order.
__device__ inline void pack_position_score(int index, int nodes, const float* scores, __half* packed) {
  const int key = index % nodes, query = index / nodes % nodes, head = index / (nodes * nodes);
  packed[position_place(nodes, query, key, head)] = __float2half_rn(scores[index]);
}

}  // namespace neuopt::backends::cuda
