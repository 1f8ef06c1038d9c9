// The network once on given states with given choices, for comparisons.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backends/cuda/prepared_model.h"
#include "policy/backend.h"

namespace neuopt::backends::cuda {

/// Results in the order of the inputs; the precision in which they were computed and, when that is not the one wanted,
/// the reason come back.
std::vector<policy::NetworkOutput> evaluate_inputs(const std::shared_ptr<PreparedModel>& model,
                                                   std::span<const policy::NetworkInput> inputs,
                                                   const std::string& wanted_precision, std::string& precision,
                                                   std::string& fallback_reason);

}  // namespace neuopt::backends::cuda
