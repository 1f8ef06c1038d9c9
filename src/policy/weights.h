// The parameters of a network: one flat array in the order of its tensor list, and views by name.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/tensor.h"
#include "policy/architecture.h"

namespace neuopt::policy {

class Weights {
 public:
  Weights() = default;
  /// All zeros.
  explicit Weights(std::vector<TensorSpec> specs);

  const std::vector<TensorSpec>& specs() const { return specs_; }
  std::span<float> flat() { return values_; }
  std::span<const float> flat() const { return values_; }

  /// A tensor by name; throws InputError when there is none.
  std::span<const float> operator[](const std::string& name) const;
  std::span<float> operator[](const std::string& name);

  /// Fills from named tensors whose names start with `prefix` ("actor.", "critic." or ""). Throws InputError, starting
  /// with `where`, when one is missing or has another shape.
  void assign(const NamedTensors& tensors, const std::string& prefix, const std::string& where);

  /// The reverse of assign.
  NamedTensors tensors(const std::string& prefix) const;

 private:
  std::vector<TensorSpec> specs_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> place_;  // name -> offset, count
  std::vector<float> values_;
};

}  // namespace neuopt::policy
