// Tensors of LibTorch as files store them, and back; structures as tensors.
#pragma once

#include <torch/types.h>

#include <cstring>
#include <vector>

#include "io/tensor.h"

namespace neuopt::train {

/// Of single or double precision, on any device.
neuopt::Tensor to_io(const torch::Tensor& tensor);

/// On the host. The type is f32 or f64.
torch::Tensor from_io(const neuopt::Tensor& stored);

/// An array of plain structures as a tensor of their bytes.
template <class T>
torch::Tensor bytes_of(const std::vector<T>& values, torch::Device device) {
  torch::Tensor bytes = torch::empty({static_cast<std::int64_t>(values.size() * sizeof(T))}, torch::kUInt8);
  std::memcpy(bytes.data_ptr<std::uint8_t>(), values.data(), values.size() * sizeof(T));
  return bytes.to(device);
}

}  // namespace neuopt::train
