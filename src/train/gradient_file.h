// Gradients of rollouts in a file, so that those of other settings can be compared with them.
#pragma once

#include <torch/types.h>

#include <string>

namespace neuopt::train {

/// gradients: (R, P), at the weights (P).
void write_gradients(const std::string& path, const torch::Tensor& gradients, const torch::Tensor& weights);

/// (R, P) on the device of the weights. Throws InputError when the file does not hold gradients at these weights.
torch::Tensor read_gradients(const std::string& path, const torch::Tensor& weights);

}  // namespace neuopt::train
