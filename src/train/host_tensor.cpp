#include "train/host_tensor.h"

#include <cstring>

namespace neuopt::train {

neuopt::Tensor to_io(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
  neuopt::Tensor result =
      neuopt::Tensor::zeros(host.scalar_type() == torch::kFloat64 ? DType::f64 : DType::f32, host.sizes().vec());
  std::memcpy(result.bytes.data(), host.data_ptr(), result.bytes.size());
  return result;
}

torch::Tensor from_io(const neuopt::Tensor& stored) {
  const torch::Tensor result =
      torch::empty(stored.shape, torch::dtype(stored.dtype == DType::f64 ? torch::kFloat64 : torch::kFloat32));
  std::memcpy(result.data_ptr(), stored.bytes.data(), stored.bytes.size());
  return result;
}

}  // namespace neuopt::train
