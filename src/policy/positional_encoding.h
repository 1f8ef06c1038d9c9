// Cyclic positional encoding (CPE): a table that depends on the number of positions and the width only.
#pragma once

#include <vector>

namespace neuopt::policy {

/// (positions, dim), row by row. Needs positions >= 3.
std::vector<double> cyclic_positional_encoding(int positions, int dim);

}  // namespace neuopt::policy
