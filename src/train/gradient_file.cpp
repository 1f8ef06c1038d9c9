#include "train/gradient_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "io/safetensors.h"
#include "train/host_tensor.h"

namespace neuopt::train {

void write_gradients(const std::string& path, const torch::Tensor& gradients, const torch::Tensor& weights) {
  write_safetensors(path, {{{"gradients", to_io(gradients.to(torch::kFloat32))}, {"weights", to_io(weights)}}, {}});
}

torch::Tensor read_gradients(const std::string& path, const torch::Tensor& weights) {
  const NamedTensors tensors = read_safetensors(path).tensors;
  const auto gradients = tensors.find("gradients"), at = tensors.find("weights");
  if (gradients == tensors.end() || at == tensors.end())
    throw InputError(path, 0, "no gradients; expected what 'bench noise --save' wrote");
  if (at->second != to_io(weights)) throw InputError(path, 0, "these are gradients of another model");
  const Shape& shape = gradients->second.shape;
  if (shape.size() != 2 || shape[0] < 2 || shape[1] != weights.size(0) || gradients->second.dtype != DType::f32)
    throw InputError(path, 0,
                     fmt::format("gradients {}, expected two rollouts or more of {} numbers each", shape_text(shape),
                                 weights.size(0)));
  return from_io(gradients->second).to(weights.device());
}

}  // namespace neuopt::train
