// An untrained network: what training starts from, and what speed is measured with when there is no model.
#pragma once

#include <cstdint>

#include "policy/model.h"

namespace neuopt::policy {

/// Every parameter uniform in +-1/sqrt(size of the last dimension), a function of the seed alone.
Model random_model(const Architecture& architecture, std::uint64_t seed);

}  // namespace neuopt::policy
