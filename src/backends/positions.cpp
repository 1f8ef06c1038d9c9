#include "backends/positions.h"

#include "core/error.h"

namespace neuopt::backends {

std::vector<int> positions_of(std::span<const int> order, int nodes) {
  constexpr int kUnseen = -1;
  std::vector<int> position(static_cast<std::size_t>(nodes), kUnseen);
  bool valid = static_cast<int>(order.size()) == nodes && nodes > 0 && order[0] == 0;
  for (int p = 0; valid && p < nodes; ++p) {
    const int node = order[p];
    valid = node >= 0 && node < nodes && position[node] == kUnseen;
    if (valid) position[node] = p;
  }
  if (!valid) throw InputError("not a tour of all nodes that begins at node 0");
  return position;
}

}  // namespace neuopt::backends
