#include "backends/network_input.h"

#include <fmt/format.h>

#include "backends/positions.h"
#include "core/error.h"

namespace neuopt::backends {

InputTour::InputTour(const policy::NetworkInput& input)
    : order_(input.order.begin(), input.order.end()), position_(positions_of(order_, input.nodes)) {}

int recorded_choice(const policy::NetworkInput& input, const ActionBuilder& builder, int k) {
  if (k >= static_cast<int>(input.choices.size()))
    throw InputError(fmt::format("{} choices recorded, expected more", input.choices.size()));
  const int node = input.choices[static_cast<std::size_t>(k)];
  if (node < 0 || node >= input.nodes || !builder.allows(node))
    throw InputError(fmt::format("recorded choice {} is node {}, which is not legal there", k + 1, node));
  return node;
}

}  // namespace neuopt::backends
