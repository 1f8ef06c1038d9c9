#include "train/fused_ops.h"

#include <torch/torch.h>

#include "train/cuda/fused_kernels.h"
#include "train/device.h"

namespace neuopt::train {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

bool fused_attention_supported(const Tensor& query, const Tensor& position_scores) {
  return cuda_built() && query.is_cuda() && query.scalar_type() == torch::kFloat32 &&
         position_scores.size(0) == cuda::kMixerHeads && query.size(1) <= cuda::kMixerMaxNodes;
}

#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
namespace {

/// The part of one head: (B, N, head_dim) of a (B, N, H * head_dim) tensor, without a copy.
Tensor head_of(const Tensor& x, std::int64_t head) {
  const std::int64_t width = x.size(2) / cuda::kMixerHeads;
  return x.narrow(2, head * width, width);
}

cuda::MixerPointers pointers(const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2) {
  return {weight1.data_ptr<float>(), bias1.data_ptr<float>(), weight2.data_ptr<float>(), bias2.data_ptr<float>()};
}

/// Products by head through the library, everything between them in one kernel. Saves the products and the
/// probabilities; the hidden layer of the mixer is recomputed.
class SynthesisAttention : public torch::autograd::Function<SynthesisAttention> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& key, const Tensor& value,
                        const Tensor& position_scores, const Tensor& weight1, const Tensor& bias1,
                        const Tensor& weight2, const Tensor& bias2) {
    const std::int64_t batch = query.size(0), nodes = query.size(1);
    Tensor scores = torch::empty({batch, cuda::kMixerHeads, nodes, nodes}, query.options());
    for (int h = 0; h < cuda::kMixerHeads; ++h) {
      Tensor out = scores.select(1, h);
      at::bmm_out(out, head_of(query, h), head_of(key, h).transpose(1, 2));
    }
    const Tensor table = position_scores.contiguous();
    Tensor probabilities = torch::empty_like(scores);
    cuda::mix_softmax_forward(static_cast<int>(batch), static_cast<int>(nodes), scores.data_ptr<float>(),
                              table.data_ptr<float>(), pointers(weight1, bias1, weight2, bias2),
                              probabilities.data_ptr<float>(), current_stream());
    Tensor result = torch::empty({batch, nodes, value.size(2)}, query.options());
    for (int h = 0; h < cuda::kMixerHeads; ++h) {
      Tensor out = head_of(result, h);
      at::bmm_out(out, probabilities.select(1, h), head_of(value, h));
    }
    context->save_for_backward({query, key, value, table, weight1, bias1, weight2, bias2, scores, probabilities});
    return result;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &query = saved[0], &key = saved[1], &value = saved[2], &table = saved[3];
    const Tensor &scores = saved[8], &probabilities = saved[9];
    const Tensor result_gradient = gradients[0].contiguous();
    const std::int64_t batch = query.size(0), nodes = query.size(1);
    Tensor gradient = torch::empty_like(scores);
    Tensor value_gradient = torch::empty({batch, nodes, value.size(2)}, value.options());
    for (int h = 0; h < cuda::kMixerHeads; ++h) {
      Tensor out = gradient.select(1, h), value_out = head_of(value_gradient, h);
      at::bmm_out(out, head_of(result_gradient, h), head_of(value, h).transpose(1, 2));
      at::bmm_out(value_out, probabilities.select(1, h).transpose(1, 2), head_of(result_gradient, h));
    }
    const auto plan = cuda::plan_mix_softmax_backward(static_cast<int>(batch), static_cast<int>(nodes));
    Tensor position_partial = torch::empty({plan.slices, cuda::kMixerHeads, nodes, nodes}, query.options());
    Tensor mixer_partial = torch::empty({plan.blocks, cuda::kMixerParameters}, query.options());
    cuda::mix_softmax_backward(plan, static_cast<int>(batch), static_cast<int>(nodes), scores.data_ptr<float>(),
                               table.data_ptr<float>(), pointers(saved[4], saved[5], saved[6], saved[7]),
                               probabilities.data_ptr<float>(), gradient.data_ptr<float>(),
                               position_partial.data_ptr<float>(), mixer_partial.data_ptr<float>(), current_stream());
    Tensor query_gradient = torch::empty({batch, nodes, query.size(2)}, query.options());
    Tensor key_gradient = torch::empty({batch, nodes, key.size(2)}, key.options());
    for (int h = 0; h < cuda::kMixerHeads; ++h) {
      Tensor query_out = head_of(query_gradient, h), key_out = head_of(key_gradient, h);
      at::bmm_out(query_out, gradient.select(1, h), head_of(key, h));
      at::bmm_out(key_out, gradient.select(1, h).transpose(1, 2), head_of(query, h));
    }
    const Tensor mixer = mixer_partial.sum(0);
    return {query_gradient,
            key_gradient,
            value_gradient,
            position_partial.sum(0),
            mixer.narrow(0, 0, 64).view({8, 8}),
            mixer.narrow(0, 64, 8),
            mixer.narrow(0, 72, 32).view({4, 8}),
            mixer.narrow(0, 104, 4)};
  }
};

class StreamScores : public torch::autograd::Function<StreamScores> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& keys, const Tensor& queries,
                        const Tensor& output_weights) {
    Tensor scores = torch::empty({keys.size(0), queries.size(1), keys.size(1)}, keys.options());
    cuda::stream_scores_forward(shape_of(keys, queries, output_weights), keys.data_ptr<float>(),
                                queries.data_ptr<float>(), output_weights.data_ptr<float>(), scores.data_ptr<float>(),
                                current_stream());
    context->save_for_backward({keys, queries, output_weights});
    return scores;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &keys = saved[0], &queries = saved[1], &output_weights = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    Tensor keys_gradient = torch::empty_like(keys), queries_gradient = torch::empty_like(queries);
    Tensor weights_gradient = torch::empty({keys.size(0), output_weights.size(1)}, keys.options());
    cuda::stream_scores_backward(
        shape_of(keys, queries, output_weights), keys.data_ptr<float>(), queries.data_ptr<float>(),
        output_weights.data_ptr<float>(), gradient.data_ptr<float>(), keys_gradient.data_ptr<float>(),
        queries_gradient.data_ptr<float>(), weights_gradient.data_ptr<float>(), current_stream());
    if (output_weights.size(0) == 1) weights_gradient = weights_gradient.sum(0, true);
    return {keys_gradient, queries_gradient, weights_gradient};
  }

 private:
  static cuda::StreamScoresShape shape_of(const Tensor& keys, const Tensor& queries, const Tensor& output_weights) {
    return {static_cast<int>(keys.size(0)), static_cast<int>(keys.size(1)), static_cast<int>(queries.size(1)),
            static_cast<int>(keys.size(2) / 4), output_weights.size(0) == 1 && keys.size(0) != 1};
  }
};

}  // namespace

bool fused_scores_supported(const Tensor& keys, const Tensor& queries) {
  return keys.is_cuda() && keys.scalar_type() == torch::kFloat32 &&
         cuda::stream_scores_supported(static_cast<int>(keys.size(2) / 4), static_cast<int>(queries.size(1)));
}

Tensor fused_synthesis_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                 const Tensor& position_scores, const ScoreMixer& mixer) {
  return SynthesisAttention::apply(query, key, value, position_scores, mixer.weight1.contiguous(),
                                   mixer.bias1.contiguous(), mixer.weight2.contiguous(), mixer.bias2.contiguous());
}

Tensor fused_stream_scores(const Tensor& keys, const Tensor& queries, const Tensor& output_weights) {
  return StreamScores::apply(keys.contiguous(), queries.contiguous(), output_weights.contiguous());
}

#else

bool fused_scores_supported(const Tensor&, const Tensor&) { return false; }

Tensor fused_synthesis_attention(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const ScoreMixer&) {
  TORCH_CHECK(false, "this build has no CUDA");
}

Tensor fused_stream_scores(const Tensor&, const Tensor&, const Tensor&) {
  TORCH_CHECK(false, "this build has no CUDA");
}

#endif

}  // namespace neuopt::train
