#include "backends/network_input.h"

#include <fmt/format.h>

#include <cmath>

#include "backends/positions.h"
#include "core/error.h"
#include "policy/logits.h"

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

void add_decision(std::span<const double> logits, int choice, int max_moves, policy::NetworkOutput& output) {
  double sum = 0;  // logits are bounded: no overflow
  for (const double logit : logits) sum += policy::legal_logit(logit) ? std::exp(logit) : 0.0;
  const double log_sum = std::log(sum);
  output.log_prob += logits[static_cast<std::size_t>(choice)] - log_sum;
  for (const double logit : logits)
    if (policy::legal_logit(logit)) output.entropy -= std::exp(logit - log_sum) * (logit - log_sum) / max_moves;
}

}  // namespace neuopt::backends
