// The policy's weights on the device in single precision, with matrices that are used together side by side.
#pragma once

#include <vector>

#include "backends/cuda/device_array.h"
#include "backends/cuda/single_kernels.h"
#include "policy/model.h"

namespace neuopt::backends::cuda {

struct SingleWeights {
  SingleWeights(const policy::Model& model, cudaStream_t stream);

  const float *embed1, *embed1_bias;  // (d/2, features), (d/2)
  const float *embed2, *embed2_bias;  // (d, d/2), (d)
  struct Layer {
    const float* query_key_value;                // (d, 3d) heads side by side
    const float* output;                         // (d, d) inputs by outputs
    const float *feed_forward1, *feed_forward2;  // (feed_forward, d), (d, feed_forward)
    MixerPointers mixer;
  };
  std::vector<Layer> layers;
  const float* decoder_keys;                          // (4d, d): K1, K3, K2, K4
  const float *initial_hidden, *initial_hidden_bias;  // (d, d), (d)
  const float* first_input;                           // (d)
  struct Stream {
    const float *input, *hidden;            // (3d, d)
    const float *input_bias, *hidden_bias;  // (3d)
    const float* queries;                   // (2d, d): Q1, Q3 or Q2, Q4
  } streams[2];                             // mu, lambda
  const float* readout;                     // (2d) v1, v2; null with ES features
  HyperPointers hyper;                      // with ES features

 private:
  DeviceArray<float> values_;
};

/// (H, N, N) scores of pairs of positions: computed in double, kept in single.
DeviceArray<float> make_position_scores(const policy::Model& model, int nodes, cudaStream_t stream);

}  // namespace neuopt::backends::cuda
