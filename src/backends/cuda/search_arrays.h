// Owns the device arrays of all searches of one size.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/device_array.h"
#include "backends/cuda/device_batch.h"
#include "policy/backend.h"

namespace neuopt::backends::cuda {

class SearchArrays {
 public:
  /// Uploads the copies, all with the same number of nodes, and starts their searches. Throws InputError when a start
  /// is not a tour.
  SearchArrays(std::span<const policy::Copy* const> copies, const policy::Architecture& architecture,
               const policy::SessionOptions& options, cudaStream_t stream);

  int copies() const { return all_.searches.copies; }
  int nodes() const { return all_.searches.nodes; }

  /// Part of the batch.
  DeviceBatch view(int first, int count) const;

  /// Starts rows anew, row rows[i] as copies[i]. Throws InputError, and changes nothing, when a start is not a tour.
  void restart(std::span<const int> rows, std::span<const policy::Copy* const> copies);

  /// Queues the polish of some copies, or their return to their best tours.
  void polish(int first, int count) const;
  void return_to_best(int first, int count) const { cuda::return_to_best(view(first, count), stream_); }

  std::vector<env::SearchState> states() const { return states_.download(stream_); }       // (B)
  std::vector<std::int32_t> orders() const { return order_.download(stream_); }            // (B, N)
  std::vector<std::int32_t> best_orders() const { return best_order_.download(stream_); }  // (B, N)
  std::vector<double> polished_costs() const { return polished_cost_.download(stream_); }  // (B); empty without polish
  std::vector<std::int32_t> polished_orders() const { return polished_order_.download(stream_); }  // (B, N)
  std::vector<std::int32_t> choices() const { return choices_.download(stream_); }  // (B, K), of the last step

 private:
  struct Instances;  // on the device

  /// Copies of the same instance share it.
  std::shared_ptr<const Instances> upload(std::span<const policy::Copy* const> copies) const;
  void allocate(const policy::Architecture& architecture, bool polished);

  cudaStream_t stream_;
  ProblemKind kind_;
  env::GireParameters gire_;
  std::vector<std::shared_ptr<const Instances>> instances_of_row_;  // what each row's instance lies in
  DeviceArray<env::InstanceView> table_;                            // (B) the instance of each row
  DeviceArray<env::SearchState> states_;
  DeviceArray<std::int32_t> order_, position_, best_order_, scratch_, choices_, move_input_, edge_input_;
  DeviceArray<std::byte> routes_;
  DeviceArray<float> features_, exploration_;
  DeviceArray<local::NeighbourView> neighbours_;  // (B); this and what follows is empty without polish
  DeviceArray<std::int32_t> polished_order_;
  DeviceArray<double> polished_cost_;
  DeviceArray<std::byte> polish_workspace_;
  DeviceBatch all_{};
};

}  // namespace neuopt::backends::cuda
