// Tensors of LibTorch as files store them, and back.
#pragma once

#include <torch/types.h>

#include "io/tensor.h"

namespace neuopt::train {

/// Of single or double precision, on any device.
neuopt::Tensor to_io(const torch::Tensor& tensor);

/// On the host. The type is f32 or f64.
torch::Tensor from_io(const neuopt::Tensor& stored);

}  // namespace neuopt::train
