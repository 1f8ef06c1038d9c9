#include "train/products.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "core/error.h"
#include "train/half_ops.h"

namespace neuopt::train {
namespace {

/// (B, M) -> (B, 1, d) for column m, to gather or scatter whole rows.
torch::Tensor row_index(const torch::Tensor& index, std::int64_t m, std::int64_t dim) {
  return index.narrow(1, m, 1).unsqueeze(2).expand({index.size(0), 1, dim});
}

/// Gathering whose backward pass adds one column after the other: no two additions race for the same row.
struct SelectRows : torch::autograd::Function<SelectRows> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& index) {
    context->save_for_backward({index});
    context->saved_data["nodes"] = x.size(1);
    return x.gather(1, index.unsqueeze(2).expand({index.size(0), index.size(1), x.size(2)}));
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::Tensor index = context->get_saved_variables()[0];
    const torch::Tensor& rows = gradients[0];
    const std::int64_t dim = rows.size(2);
    torch::Tensor result = torch::zeros({rows.size(0), context->saved_data["nodes"].toInt(), dim}, rows.options());
    for (std::int64_t m = 0; m < index.size(1); ++m)
      result.scatter_add_(1, row_index(index, m, dim), rows.narrow(1, m, 1));
    return {result, torch::Tensor()};
  }
};

}  // namespace

Precision choose_precision(const std::string& name, torch::Device device, const policy::Architecture& architecture,
                           int nodes) {
  const bool half = half_supported(device, architecture, nodes);
  if (name == "auto" && half) return Precision::fp16;
  if (name == "auto") return device.is_cuda() ? Precision::tf32 : Precision::fp32;
  if (name == "fp32") return Precision::fp32;
  if (name == "tf32") return Precision::tf32;
  if (name != "fp16") throw InputError("precision: expected auto, fp32, tf32 or fp16, found '" + name + "'");
  if (!half) throw InputError("precision fp16 needs a GPU like the H100, width 128, 4 heads and at most 256 nodes");
  return Precision::fp16;
}

void apply_precision(Precision precision) {
  at::globalContext().setAllowTF32CuBLAS(precision != Precision::fp32);
  at::globalContext().setAllowFP16ReductionCuBLAS(false);
}

FullPrecision::FullPrecision() : tf32_before_(at::globalContext().allowTF32CuBLAS()) {
  at::globalContext().setAllowTF32CuBLAS(false);
}

FullPrecision::~FullPrecision() { at::globalContext().setAllowTF32CuBLAS(tf32_before_); }

torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight) {
  if (x.scalar_type() == torch::kFloat16) return half_product(x, weight);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(1);
  return x.reshape({-1, x.size(-1)}).mm(weight).view(shape);
}

torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  if (!bias.defined()) return product(x, weight);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(1);
  return torch::addmm(bias, x.reshape({-1, x.size(-1)}), weight).view(shape);
}

torch::Tensor join_heads(const torch::Tensor& weight) {
  return weight.permute({1, 0, 2}).reshape({weight.size(1), weight.size(0) * weight.size(2)});
}

torch::Tensor join_query_key_value(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
  return torch::cat({join_heads(query), join_heads(key), join_heads(value)}, 1);
}

torch::Tensor select_rows(const torch::Tensor& x, const torch::Tensor& index) { return SelectRows::apply(x, index); }

}  // namespace neuopt::train
