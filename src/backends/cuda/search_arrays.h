// Owns the device arrays of all searches of one size.
#pragma once

#include <span>
#include <vector>

#include "backends/cuda/device_array.h"
#include "backends/cuda/search_batch.h"
#include "policy/backend.h"

namespace neuopt::backends::cuda {

class SearchArrays {
 public:
  /// Uploads the copies, all with the same numbers of nodes and depots, and starts their searches. Throws InputError
  /// when a start is not a tour.
  SearchArrays(std::span<const policy::Copy* const> copies, const policy::Architecture& architecture,
               const policy::SessionOptions& options, cudaStream_t stream);

  int copies() const { return all_.copies; }
  int nodes() const { return all_.nodes; }

  /// Part of the batch.
  SearchBatch view(int first, int count) const;

  std::vector<CopyOnDevice> states() const { return copy_.download(stream_); }             // (B)
  std::vector<std::int32_t> orders() const { return order_.download(stream_); }            // (B, N)
  std::vector<std::int32_t> best_orders() const { return best_order_.download(stream_); }  // (B, N)
  std::vector<std::int32_t> choices() const { return choices_.download(stream_); }         // (B, K), of the last step

 private:
  void upload_instances(std::span<const SearchInstance* const> instances, const env::GireParameters& gire);

  cudaStream_t stream_;
  DeviceArray<float> instance_values_;         // coordinates, demands and matrices of all instances
  DeviceArray<std::int32_t> instance_places_;  // rows of the matrices
  DeviceArray<InstanceOnDevice> instances_;
  DeviceArray<CopyOnDevice> copy_;
  DeviceArray<std::int32_t> order_, position_, best_order_, scratch_, choices_, move_input_, edge_input_;
  DeviceArray<float> load_up_to_, load_after_, route_load_, features_, exploration_;
  SearchBatch all_{};
};

}  // namespace neuopt::backends::cuda
