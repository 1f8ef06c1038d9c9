// A model's weights on the device, in each precision as it is first asked for. All networks of a backend share them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "backends/cuda/device_array.h"
#include "backends/cuda/packed_model.h"
#include "backends/cuda/single_weights.h"

namespace neuopt::backends::cuda {

class PreparedModel {
 public:
  explicit PreparedModel(std::shared_ptr<const policy::Model> model) : model_(std::move(model)) {}

  const policy::Architecture& architecture() const { return model_->architecture; }

  /// Packed for the half-precision kernels.
  struct Half {
    PackedOffsets at;
    DeviceArray<std::uint8_t> bytes;
  };
  const Half& half();
  /// Positional scores of tours of that many nodes: see pack_position_scores.
  std::shared_ptr<const DeviceArray<std::uint16_t>> half_positions(int nodes);

  /// The table of env/prospects.h; null in a network without.
  const float* prospect_weights();

  const SingleWeights& single();
  /// (H, N, N), see make_position_scores. Kept only as long as somebody uses them: they grow with the square of N.
  std::shared_ptr<const DeviceArray<float>> single_positions(int nodes);

 private:
  std::shared_ptr<const policy::Model> model_;
  std::mutex mutex_;
  Stream stream_;
  std::optional<Half> half_;
  std::map<int, std::shared_ptr<const DeviceArray<std::uint16_t>>> half_positions_;
  DeviceArray<float> prospect_weights_;
  std::optional<SingleWeights> single_;
  std::map<int, std::weak_ptr<const DeviceArray<float>>> single_positions_;
};

}  // namespace neuopt::backends::cuda
