// The threads of a block tell one search what its choices lead to: each warp has a share of the choices.
#pragma once

#include <cstddef>

#include "env/prospects.h"

namespace neuopt::env {

/// Warps of a block at most.
inline constexpr int kTellerWarps = 4;

/// Threads of a block: short tours leave no choices to some warps.
inline unsigned teller_threads(int nodes) {
  return 32 * static_cast<unsigned>(nodes < 32 * kTellerWarps ? (nodes + 31) / 32 : kTellerWarps);
}

/// Whether compact() may keep the rows of a search in shared memory, beside the first cuts of the warps.
NEUOPT_HD bool rows_are_shared(int nodes, bool loads) {
  return compact_floats(nodes, loads) * sizeof(float) <= 44 << 10;
}

/// Shared memory of a block.
inline std::size_t teller_bytes(int nodes, bool loads) {
  const std::size_t rows = rows_are_shared(nodes, loads) ? compact_floats(nodes, loads) * sizeof(float) : 0;
  return kTellerWarps * kFirstCuts * sizeof(FirstCut) + rows;
}

#if defined(__CUDACC__) || defined(NEUOPT_EMULATED_DEVICE)
/// The running warp's share; `memory` of teller_bytes() is the block's, and begins with the first cuts of its warps.
__device__ inline Tellers<WarpLanes> warp_tellers(void* memory) {
  const int warp = static_cast<int>(threadIdx.x / 32);
  return {WarpLanes{}, static_cast<FirstCut*>(memory) + warp * kFirstCuts, warp, static_cast<int>(blockDim.x / 32)};
}

/// The same, with the rows of the state in that memory where they fit. All teller_threads() call it for the same state.
__device__ inline Tellers<WarpLanes> tellers_of_block(ProspectState& state, void* memory) {
  auto* rows = reinterpret_cast<float*>(static_cast<FirstCut*>(memory) + kTellerWarps * kFirstCuts);
  if (rows_are_shared(state.nodes, state.loads.features != nullptr)) compact(BlockLanes{}, state, rows);
  return warp_tellers(memory);
}
#endif

}  // namespace neuopt::env
