// Choosing the precision of the network and the number of searches that it has room for.
#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/device_info.h"
#include "backends/cuda/size_batch.h"

namespace neuopt::backends::cuda {
namespace {

constexpr double kUsable = 0.9;      // of the memory that is free
constexpr int kMostCopies = 65'536;  // in one batch: far beyond what fills a device, and no index overflows

std::unique_ptr<BatchNetwork> make_network_of(const std::shared_ptr<PreparedModel>& model, bool half, int nodes,
                                              int capacity, cudaStream_t stream) {
  return half ? make_half_network(model, nodes, capacity, stream) : make_single_network(model, nodes, capacity, stream);
}

}  // namespace

PrecisionChoice choose_precision(const std::string& wanted, const policy::Architecture& architecture, int nodes) {
  if (wanted == "fp32") return {false, ""};
  if (!wanted.empty() && wanted != "fp16")
    throw InputError("the cuda backend computes in fp16 or fp32, not in " + wanted);
  PrecisionChoice choice{true, ""};
  choice.half = half_supported(architecture, nodes, choice.reason);
  return choice;
}

std::unique_ptr<BatchNetwork> make_fitting_network(const std::shared_ptr<PreparedModel>& model, bool half, int nodes,
                                                   int copies, double share, cudaStream_t stream, int& capacity) {
  const NetworkMemory need =
      half ? half_memory(model->architecture(), nodes) : single_memory(model->architecture(), nodes);
  const double budget = kUsable * share * static_cast<double>(free_device_memory());
  const double fits = (budget - static_cast<double>(need.fixed)) / static_cast<double>(need.per_copy);
  capacity = static_cast<int>(std::clamp(fits, 1.0, static_cast<double>(std::min(copies, kMostCopies))));
  while (true) {
    // Groups of equal size.
    const int groups = (copies + capacity - 1) / capacity;
    capacity = (copies + groups - 1) / groups;
    try {
      return make_network_of(model, half, nodes, capacity, stream);
    } catch (const ResourceError& error) {
      if (capacity == 1)
        throw ResourceError(fmt::format("{} nodes need about {} MiB of device memory: {}", nodes,
                                        (need.fixed + need.per_copy) >> 20, error.what()));
      capacity /= 2;  // somebody else has taken the memory meanwhile
    }
  }
}

}  // namespace neuopt::backends::cuda
