// Scores of the dual-stream decoder for one decoding step, before C * tanh.
#pragma once

#include "backends/cuda/network.h"

namespace neuopt::backends::cuda {

/// Half-precision keys: scores (B, N) from buffers.keys and buffers.queries.
void score_nodes(const DeviceModel& model, const NetworkBuffers& buffers, float* scores, cudaStream_t stream);

}  // namespace neuopt::backends::cuda
