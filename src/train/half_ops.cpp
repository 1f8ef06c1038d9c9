#include "train/half_ops.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "train/device.h"

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
#include "train/cuda/attention.h"
#include "train/cuda/residual_norm.h"
#endif

namespace neuopt::train {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

double half_loss_scale(std::int64_t rows) { return 16 * std::exp2(std::ceil(std::log2(static_cast<double>(rows)))); }

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
namespace {

__half* half_data(const Tensor& x) { return reinterpret_cast<__half*>(x.data_ptr<at::Half>()); }

Tensor as_rows(const Tensor& x) { return x.reshape({-1, x.size(-1)}); }

/// The gradient of weights (in, out) from inputs (rows, in) and the gradient of the outputs (rows, out): added up in
/// parts, as many as divide the rows evenly, which keeps the GPU busy and the parts' sums, half numbers, in their
/// range.
Tensor weight_gradient(const Tensor& inputs, const Tensor& gradient) {
  std::int64_t parts = 64;
  while (inputs.size(0) % parts != 0) --parts;
  const auto split = [&](const Tensor& x) { return x.view({parts, x.size(0) / parts, x.size(1)}); };
  return at::bmm(split(inputs).transpose(1, 2), split(gradient)).sum(0, false, torch::kFloat32);
}

class HalfProduct : public torch::autograd::Function<HalfProduct> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& rows, const Tensor& weight) {
    const Tensor half_weight = weight.to(torch::kFloat16);
    context->save_for_backward({rows, half_weight});
    context->saved_data["input gradient"] = rows.requires_grad();
    return rows.mm(half_weight);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor gradient = gradients[0].contiguous();
    return {context->saved_data["input gradient"].toBool() ? gradient.mm(saved[1].t()) : Tensor(),
            weight_gradient(saved[0], gradient)};
  }
};

/// Sizes of a layer's input, and calls of the kernels for them.
struct LayerShape {
  int batch, nodes;

  explicit LayerShape(const Tensor& x) : batch(static_cast<int>(x.size(0))), nodes(static_cast<int>(x.size(1))) {}

  int numbers() const { return nodes * cuda::kAttentionDim; }
  static_assert(cuda::kAttentionMaxNodes * cuda::kAttentionDim <= cuda::kNormMaxNumbers);

  /// norm(x + y); fills `rates`.
  Tensor add_and_normalise(const Tensor& x, const Tensor& y, const Tensor& rates) const {
    Tensor result = torch::empty_like(x);
    cuda::residual_norm_forward(batch, numbers(), half_data(x), half_data(y), half_data(result),
                                rates.data_ptr<float>(), current_stream());
    return result;
  }

  /// The gradient of x, and of y, from that of the result; `to` may be the same tensor.
  void normalise_backward(const Tensor& result, const Tensor& rates, const Tensor& gradient, Tensor& to) const {
    cuda::residual_norm_backward(batch, numbers(), half_data(result), rates.data_ptr<float>(), half_data(gradient),
                                 half_data(to), current_stream());
  }
};

/// The attention of a layer; without a mixer it is plain attention.
struct LayerAttention {
  LayerShape shape;
  Tensor table;                           // of positional scores
  Tensor weight1, bias1, weight2, bias2;  // of the mixer; empty without one
  MixerPointers pointers{};

  LayerAttention(const LayerShape& layer_shape, const Tensor& position_table, const Tensor& w1, const Tensor& b1,
                 const Tensor& w2, const Tensor& b2)
      : shape(layer_shape),
        table(position_table),
        weight1(w1.contiguous()),
        bias1(b1.contiguous()),
        weight2(w2.contiguous()),
        bias2(b2.contiguous()) {
    if (mixed())
      pointers = {weight1.data_ptr<float>(), bias1.data_ptr<float>(), weight2.data_ptr<float>(),
                  bias2.data_ptr<float>()};
  }

  bool mixed() const { return weight1.numel() > 0; }

  cuda::AttentionInput input(const Tensor& joint) const {
    return {shape.batch,
            shape.nodes,
            half_data(joint),
            mixed() ? &pointers : nullptr,
            mixed() ? half_data(table) : nullptr,
            1 / std::sqrt(static_cast<float>(cuda::kAttentionDim / cuda::kAttentionHeads))};
  }

  Tensor forward(const Tensor& joint, const Tensor& log_sums) const {
    Tensor result = torch::empty({joint.size(0), cuda::kAttentionDim}, joint.options());
    cuda::attention_forward(input(joint), half_data(result), log_sums.data_ptr<float>(), current_stream());
    return result;
  }

  struct Gradients {
    Tensor joint;      // (rows, 3d)
    Tensor positions;  // (H, N, N); this and the next are undefined without a mixer
    ScoreMixer mixer;
  };

  Gradients backward(const Tensor& joint, const Tensor& result, const Tensor& log_sums,
                     const Tensor& result_gradient) const {
    Gradients gradients;
    gradients.joint = torch::empty_like(joint);
    const cuda::AttentionSums sums = cuda::attention_sums(shape.batch, shape.nodes);
    const auto real = joint.options().dtype(torch::kFloat32);
    const std::int64_t nodes = shape.nodes;
    const Tensor carried = torch::empty({sums.carried}, real);
    Tensor position_partial, mixer_partial;
    if (mixed()) {
      position_partial = torch::zeros({sums.slots, nodes, nodes, cuda::kAttentionHeads}, real);
      mixer_partial = torch::empty({sums.blocks, kMixerParameters}, real);
    }
    cuda::attention_backward(input(joint),
                             {.result = half_data(result),
                              .log_sums = log_sums.data_ptr<float>(),
                              .result_gradient = half_data(result_gradient),
                              .joint_gradient = half_data(gradients.joint),
                              .position_partial = mixed() ? position_partial.data_ptr<float>() : nullptr,
                              .mixer_partial = mixed() ? mixer_partial.data_ptr<float>() : nullptr,
                              .carried = carried.data_ptr<float>()},
                             current_stream());
    if (mixed()) {
      gradients.positions = position_partial.sum(0).permute({2, 0, 1});
      gradients.mixer = split_mixer(mixer_partial.sum(0), cuda::kAttentionHeads);
    }
    return gradients;
  }
};

/// A whole layer with its backward pass written out: residual gradients are added by the products themselves, and
/// everything that is not a product is one of our kernels.
class HalfLayer : public torch::autograd::Function<HalfLayer> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& query_key_value, const Tensor& output,
                        const Tensor& feed_forward1, const Tensor& feed_forward_bias1, const Tensor& feed_forward2,
                        const Tensor& feed_forward_bias2, const Tensor& /*position_scores*/, const Tensor& table,
                        const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2) {
    const LayerShape shape(x);
    const LayerAttention attention(shape, table, weight1, bias1, weight2, bias2);
    const auto half = [](const Tensor& weight) { return weight.to(torch::kFloat16); };
    const Tensor to_joint = half(query_key_value), to_output = half(output);
    const Tensor to_inner = half(feed_forward1), from_inner = half(feed_forward2);
    const auto real = x.options().dtype(torch::kFloat32);
    const Tensor rows = as_rows(x);
    const Tensor log_sums = torch::empty({rows.size(0), cuda::kAttentionHeads}, real);
    const Tensor rates1 = torch::empty({shape.batch}, real), rates2 = torch::empty({shape.batch}, real);
    const Tensor joint = rows.mm(to_joint);
    const Tensor attended = attention.forward(joint, log_sums);
    const Tensor middle = shape.add_and_normalise(rows, attended.mm(to_output), rates1);
    const Tensor inner = linear(middle, to_inner, feed_forward_bias1).relu_();
    const Tensor result =
        shape.add_and_normalise(middle, linear(inner, from_inner, feed_forward_bias2), rates2).view(x.sizes());
    context->save_for_backward({rows, to_joint, to_output, to_inner, from_inner, joint, attended, log_sums, middle,
                                rates1, inner, result, rates2, table, attention.weight1, attention.bias1,
                                attention.weight2, attention.bias2});
    context->saved_data["input gradient"] = x.requires_grad();
    context->saved_data["biased"] = feed_forward_bias1.numel() > 0;
    return result;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &rows = saved[0], &to_joint = saved[1], &to_output = saved[2], &to_inner = saved[3],
                 &from_inner = saved[4], &joint = saved[5], &attended = saved[6], &log_sums = saved[7],
                 &middle = saved[8], &rates1 = saved[9], &inner = saved[10], &result = saved[11], &rates2 = saved[12];
    const LayerShape shape(result);
    const LayerAttention attention(shape, saved[13], saved[14], saved[15], saved[16], saved[17]);
    const bool biased = context->saved_data["biased"].toBool();
    const auto bias_gradient = [&](const Tensor& gradient) {
      return biased ? gradient.sum(0, false, torch::kFloat32) : Tensor();
    };
    const Tensor gradient = as_rows(gradients[0]).contiguous();
    Tensor residual = torch::empty_like(gradient);
    shape.normalise_backward(result, rates2, gradient, residual);
    const Tensor feed_forward2 = weight_gradient(inner, residual), feed_forward_bias2 = bias_gradient(residual);
    Tensor inner_gradient = residual.mm(from_inner.t());
    at::threshold_backward_out(inner_gradient, inner_gradient, inner, 0);
    const Tensor feed_forward1 = weight_gradient(middle, inner_gradient),
                 feed_forward_bias1 = bias_gradient(inner_gradient);
    residual.addmm_(inner_gradient, to_inner.t());
    shape.normalise_backward(middle, rates1, residual, residual);
    const Tensor output = weight_gradient(attended, residual);
    const auto of_attention = attention.backward(joint, attended, log_sums, residual.mm(to_output.t()));
    const Tensor query_key_value = weight_gradient(rows, of_attention.joint);
    Tensor x;
    if (context->saved_data["input gradient"].toBool())
      x = residual.addmm_(of_attention.joint, to_joint.t()).view(result.sizes());
    return {x,
            query_key_value,
            output,
            feed_forward1,
            feed_forward_bias1,
            feed_forward2,
            feed_forward_bias2,
            of_attention.positions,
            Tensor(),
            of_attention.mixer.weight1,
            of_attention.mixer.bias1,
            of_attention.mixer.weight2,
            of_attention.mixer.bias2};
  }

 private:
  static Tensor linear(const Tensor& rows, const Tensor& weight, const Tensor& bias) {
    return bias.numel() > 0 ? at::addmm(bias.to(torch::kFloat16), rows, weight) : rows.mm(weight);
  }
};

}  // namespace

bool half_supported(torch::Device device, const policy::Architecture& architecture, int nodes) {
  return device.is_cuda() && architecture.dim == cuda::kAttentionDim && architecture.heads == cuda::kAttentionHeads &&
         nodes <= cuda::kAttentionMaxNodes && cuda::attention_supported();
}

Tensor half_product(const Tensor& x, const Tensor& weight) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(1);
  return HalfProduct::apply(as_rows(x), weight).view(shape);
}

Tensor half_position_table(const Tensor& position_scores) {
  const torch::NoGradGuard no_grad;
  const std::int64_t heads = position_scores.size(0), nodes = position_scores.size(1);
  Tensor table = torch::zeros({nodes, cuda::position_row(static_cast<int>(nodes)), heads},
                              position_scores.options().dtype(torch::kFloat16));
  table.narrow(1, 0, nodes).copy_(position_scores.permute({1, 2, 0}));
  return table;
}

Tensor half_transformer_layer(const Tensor& x, const LayerWeights& weights, const PositionScores& positions) {
  const Tensor none = torch::empty({0}, x.options().dtype(torch::kFloat32));
  const auto or_none = [&](const Tensor& tensor) { return tensor.defined() ? tensor : none; };
  const bool mixed = weights.mixer.weight1.defined();
  return HalfLayer::apply(x.contiguous(), weights.query_key_value, weights.output, weights.feed_forward1,
                          or_none(weights.feed_forward_bias1), weights.feed_forward2,
                          or_none(weights.feed_forward_bias2), mixed ? positions.scores : none,
                          mixed ? positions.table : none, or_none(weights.mixer.weight1), or_none(weights.mixer.bias1),
                          or_none(weights.mixer.weight2), or_none(weights.mixer.bias2));
}

#else

bool half_supported(torch::Device, const policy::Architecture&, int) { return false; }

Tensor half_product(const Tensor&, const Tensor&) { TORCH_CHECK(false, "this build has no CUDA"); }

Tensor half_position_table(const Tensor&) { TORCH_CHECK(false, "this build has no CUDA"); }

Tensor half_transformer_layer(const Tensor&, const LayerWeights&, const PositionScores&) {
  TORCH_CHECK(false, "this build has no CUDA");
}

#endif

}  // namespace neuopt::train
