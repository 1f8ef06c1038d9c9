#include "policy/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace neuopt::policy {

Weights::Weights(std::vector<TensorSpec> specs) : specs_(std::move(specs)) {
  std::size_t offset = 0;
  for (const TensorSpec& spec : specs_) {
    const auto count = static_cast<std::size_t>(spec.count());
    place_[spec.name] = {offset, count};
    offset += count;
  }
  values_.assign(offset, 0.0f);
}

std::span<const float> Weights::operator[](const std::string& name) const {
  const auto found = place_.find(name);
  if (found == place_.end()) throw InputError("the network has no tensor " + name);
  return std::span<const float>(values_).subspan(found->second.first, found->second.second);
}

std::span<float> Weights::operator[](const std::string& name) {
  const std::span<const float> view = std::as_const(*this)[name];
  return {const_cast<float*>(view.data()), view.size()};
}

void Weights::assign(const NamedTensors& tensors, const std::string& prefix, const std::string& where) {
  for (const TensorSpec& spec : specs_) {
    const std::string name = prefix + spec.name;
    const auto found = tensors.find(name);
    if (found == tensors.end()) throw InputError(fmt::format("{}: tensor {} is missing", where, name));
    const Tensor& tensor = found->second;
    if (tensor.shape != spec.shape)
      throw InputError(fmt::format("{}: tensor {} has shape {}, expected {}", where, name, shape_text(tensor.shape),
                                   shape_text(spec.shape)));
    if (!is_floating(tensor.dtype))
      throw InputError(
          fmt::format("{}: tensor {} has type {}, expected a floating one", where, name, dtype_name(tensor.dtype)));
    const std::vector<float> values = tensor.to_float();
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
      throw InputError(fmt::format("{}: tensor {} has values that are not finite", where, name));
    std::copy(values.begin(), values.end(), (*this)[spec.name].begin());
  }
}

NamedTensors Weights::tensors(const std::string& prefix) const {
  NamedTensors tensors;
  for (const TensorSpec& spec : specs_) {
    const std::span<const float> view = (*this)[spec.name];
    tensors.emplace(prefix + spec.name, Tensor(spec.shape, std::vector<float>(view.begin(), view.end())));
  }
  return tensors;
}

}  // namespace neuopt::policy
