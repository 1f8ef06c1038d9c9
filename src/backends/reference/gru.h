// The standard gated recurrent unit.
#pragma once

#include <span>
#include <string>

#include "backends/reference/matrix.h"
#include "policy/model.h"

namespace neuopt::backends::reference {

/// The next hidden state. `name` is the tensors' prefix; their rows are the reset, update and candidate gates.
Vector gru_cell(const policy::Model& model, const std::string& name, std::span<const double> input,
                std::span<const double> hidden);

}  // namespace neuopt::backends::reference
