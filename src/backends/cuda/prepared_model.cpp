#include "backends/cuda/prepared_model.h"

namespace neuopt::backends::cuda {

const PreparedModel::Half& PreparedModel::half() {
  const std::lock_guard lock(mutex_);
  if (!half_) {
    const PackedModel packed = pack_model(*model_);
    half_ = Half{packed.at, DeviceArray<std::uint8_t>(packed.bytes, stream_)};
  }
  return *half_;
}

std::shared_ptr<const DeviceArray<std::uint16_t>> PreparedModel::half_positions(int nodes) {
  const std::lock_guard lock(mutex_);
  auto& positions = half_positions_[nodes];
  if (!positions)
    positions = std::make_shared<DeviceArray<std::uint16_t>>(pack_position_scores(*model_, nodes), stream_);
  return positions;
}

const float* PreparedModel::prospect_weights() {
  if (!architecture().prospects) return nullptr;
  const std::lock_guard lock(mutex_);
  if (prospect_weights_.size() == 0)
    prospect_weights_ = DeviceArray<float>(model_->weights[policy::kProspectTable], stream_);
  return prospect_weights_.data();
}

const SingleWeights& PreparedModel::single() {
  const std::lock_guard lock(mutex_);
  if (!single_) single_.emplace(*model_, stream_);
  return *single_;
}

std::shared_ptr<const DeviceArray<float>> PreparedModel::single_positions(int nodes) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const DeviceArray<float>> positions = single_positions_[nodes].lock();
  if (!positions) {
    positions = std::make_shared<DeviceArray<float>>(make_position_scores(*model_, nodes, stream_));
    stream_.synchronize();
    single_positions_[nodes] = positions;
  }
  return positions;
}

}  // namespace neuopt::backends::cuda
