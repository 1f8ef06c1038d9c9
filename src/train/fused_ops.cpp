#include "train/fused_ops.h"

#include <torch/csrc/autograd/custom_function.h>

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
#include <cuda_fp16.h>
#endif

#include "train/cuda/fused_kernels.h"
#include "train/device.h"

namespace neuopt::train {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

bool fused_attention_supported(const Tensor& query_key_value, const Tensor& position_scores) {
  return cuda_built() && query_key_value.is_cuda() && query_key_value.scalar_type() == torch::kFloat32 &&
         position_scores.size(0) == kMixerHeads && query_key_value.size(1) <= cuda::kMixerMaxNodes;
}

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
namespace {

/// Thirds of a (B, N, 3d) tensor.
enum Part : std::int64_t { kQuery = 0, kKey = 1, kValue = 2 };

/// One head, (B, N, head_dim), of one of the `parts` side by side in x, without a copy.
Tensor head_of(const Tensor& x, std::int64_t head, std::int64_t part = 0, std::int64_t parts = 1) {
  const std::int64_t dim = x.size(2) / parts, width = dim / kMixerHeads;
  return x.narrow(2, part * dim + head * width, width);
}

/// out = a * b for each row of the batch, written where `out` lies.
void multiply_into(Tensor out, const Tensor& a, const Tensor& b) { at::bmm_out(out, a, b); }

MixerPointers pointers(const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2) {
  return {weight1.data_ptr<float>(), bias1.data_ptr<float>(), weight2.data_ptr<float>(), bias2.data_ptr<float>()};
}

/// Products by head through the library, everything between them in one kernel. Saves the products and the
/// probabilities; the hidden layer of the mixer is recomputed.
class SynthesisAttention : public torch::autograd::Function<SynthesisAttention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& joint, const Tensor& position_scores,
                        const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2) {
    const std::int64_t batch = joint.size(0), nodes = joint.size(1);
    Tensor scores = torch::empty({batch, kMixerHeads, nodes, nodes}, joint.options());
    for (int h = 0; h < kMixerHeads; ++h)
      multiply_into(scores.select(1, h), head_of(joint, h, kQuery, 3), head_of(joint, h, kKey, 3).transpose(1, 2));
    Tensor probabilities = torch::empty_like(scores);
    cuda::mix_softmax_forward(static_cast<int>(batch), static_cast<int>(nodes), scores.data_ptr<float>(),
                              position_scores.data_ptr<float>(), pointers(weight1, bias1, weight2, bias2),
                              probabilities.data_ptr<float>(), current_stream());
    Tensor result = torch::empty({batch, nodes, joint.size(2) / 3}, joint.options());
    for (int h = 0; h < kMixerHeads; ++h)
      multiply_into(head_of(result, h), probabilities.select(1, h), head_of(joint, h, kValue, 3));
    context->save_for_backward({joint, position_scores, weight1, bias1, weight2, bias2, scores, probabilities});
    return result;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &joint = saved[0], &position_scores = saved[1], &scores = saved[6], &probabilities = saved[7];
    const Tensor result_gradient = gradients[0].contiguous();
    Tensor gradient = torch::empty_like(scores), joint_gradient = torch::empty_like(joint);
    for (int h = 0; h < kMixerHeads; ++h) {
      const Tensor of_head = head_of(result_gradient, h);
      multiply_into(gradient.select(1, h), of_head, head_of(joint, h, kValue, 3).transpose(1, 2));
      multiply_into(head_of(joint_gradient, h, kValue, 3), probabilities.select(1, h).transpose(1, 2), of_head);
    }
    const int batch = static_cast<int>(joint.size(0)), nodes = static_cast<int>(joint.size(1));
    const auto plan = cuda::plan_mix_softmax_backward(batch, nodes);
    Tensor position_partial = torch::empty({plan.slices, kMixerHeads, nodes, nodes}, joint.options());
    Tensor mixer_partial = torch::empty({plan.blocks, kMixerParameters}, joint.options());
    cuda::mix_softmax_backward(plan, batch, nodes, scores.data_ptr<float>(), position_scores.data_ptr<float>(),
                               pointers(saved[2], saved[3], saved[4], saved[5]), probabilities.data_ptr<float>(),
                               gradient.data_ptr<float>(), position_partial.data_ptr<float>(),
                               mixer_partial.data_ptr<float>(), current_stream());
    for (int h = 0; h < kMixerHeads; ++h) {
      const Tensor of_head = gradient.select(1, h);
      multiply_into(head_of(joint_gradient, h, kQuery, 3), of_head, head_of(joint, h, kKey, 3));
      multiply_into(head_of(joint_gradient, h, kKey, 3), of_head.transpose(1, 2), head_of(joint, h, kQuery, 3));
    }
    const ScoreMixer mixer = split_mixer(mixer_partial.sum(0), kMixerHeads);
    return {joint_gradient, position_partial.sum(0), mixer.weight1, mixer.bias1, mixer.weight2, mixer.bias2};
  }
};

class StreamScores : public torch::autograd::Function<StreamScores> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& keys, const Tensor& queries,
                        const Tensor& output_weights) {
    Tensor scores = torch::empty({keys.size(0), queries.size(1), keys.size(1)}, queries.options());
    with_element(keys, [&](auto* element) {
      cuda::stream_scores_forward(shape_of(keys, queries, output_weights), data_as(keys, element),
                                  queries.data_ptr<float>(), output_weights.data_ptr<float>(), scores.data_ptr<float>(),
                                  current_stream());
    });
    context->save_for_backward({keys, queries, output_weights});
    return scores;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &keys = saved[0], &queries = saved[1], &output_weights = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    Tensor keys_gradient = torch::empty_like(keys), queries_gradient = torch::empty_like(queries);
    Tensor weights_gradient = torch::empty({keys.size(0), output_weights.size(1)}, queries.options());
    with_element(keys, [&](auto* element) {
      cuda::stream_scores_backward(
          shape_of(keys, queries, output_weights), data_as(keys, element), queries.data_ptr<float>(),
          output_weights.data_ptr<float>(), gradient.data_ptr<float>(), data_as(keys_gradient, element),
          queries_gradient.data_ptr<float>(), weights_gradient.data_ptr<float>(), current_stream());
    });
    if (output_weights.size(0) == 1) weights_gradient = weights_gradient.sum(0, true);
    return {keys_gradient, queries_gradient, weights_gradient};
  }

 private:
  /// Calls use(a null pointer to the type of the keys' numbers).
  template <class Use>
  static void with_element(const Tensor& keys, Use&& use) {
    keys.scalar_type() == torch::kFloat16 ? use(static_cast<__half*>(nullptr)) : use(static_cast<float*>(nullptr));
  }

  template <class Element>
  static Element* data_as(const Tensor& x, Element*) {
    return static_cast<Element*>(x.data_ptr());
  }

  static cuda::StreamScoresShape shape_of(const Tensor& keys, const Tensor& queries, const Tensor& output_weights) {
    return {static_cast<int>(keys.size(0)), static_cast<int>(keys.size(1)), static_cast<int>(queries.size(1)),
            static_cast<int>(keys.size(2) / 4), output_weights.size(0) == 1 && keys.size(0) != 1};
  }
};

}  // namespace

bool fused_scores_supported(const Tensor& keys, const Tensor& queries) {
  return keys.is_cuda() &&
         cuda::stream_scores_supported(static_cast<int>(keys.size(2) / 4), static_cast<int>(queries.size(1)));
}

Tensor fused_synthesis_attention(const Tensor& query_key_value, const Tensor& position_scores,
                                 const ScoreMixer& mixer) {
  return SynthesisAttention::apply(query_key_value.contiguous(), position_scores.contiguous(),
                                   mixer.weight1.contiguous(), mixer.bias1.contiguous(), mixer.weight2.contiguous(),
                                   mixer.bias2.contiguous());
}

Tensor fused_stream_scores(const Tensor& keys, const Tensor& queries, const Tensor& output_weights) {
  return StreamScores::apply(keys.contiguous(), queries.contiguous(), output_weights.contiguous());
}

#else

bool fused_scores_supported(const Tensor&, const Tensor&) { return false; }

Tensor fused_synthesis_attention(const Tensor&, const Tensor&, const ScoreMixer&) {
  TORCH_CHECK(false, "this build has no CUDA");
}

Tensor fused_stream_scores(const Tensor&, const Tensor&, const Tensor&) {
  TORCH_CHECK(false, "this build has no CUDA");
}

#endif

}  // namespace neuopt::train
