// The polish on a GPU: one warp for each copy, the same code as on the host and, to the bit, the same tours.
#pragma once

#include <cuda_runtime_api.h>

#include "local/polish.h"

namespace neuopt::local::cuda {

/// Bytes of device memory that a batch works in, aligned to 8; 0 when its copies fit into shared memory.
std::size_t workspace_bytes(ProblemKind kind, int copies, int nodes);

/// Enqueues the polish of every copy. Everything in the batch is in device memory; so is the workspace, which may be
/// null when it has no bytes. May be captured into a graph.
void launch_polish(ProblemKind kind, const PolishBatch& batch, void* workspace, cudaStream_t stream);

}  // namespace neuopt::local::cuda
