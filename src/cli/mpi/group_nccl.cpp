#include <ATen/cuda/CUDAContext.h>

#include <iterator>
#include <set>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "cli/mpi/group_exchange.h"
#include "cli/mpi/process_groups.h"

namespace neuopt::cli::mpi {
namespace {

using Group = c10d::ProcessGroupNCCL;

/// Names the GPU among those of all machines; empty without one.
std::string name_of_gpu(torch::Device device) {
  if (!device.is_cuda()) return "";
  const auto& bytes = at::cuda::getDeviceProperties(device.index())->uuid.bytes;
  return std::string(std::begin(bytes), std::end(bytes));
}

}  // namespace

std::unique_ptr<Exchange> open_nccl(const Communicator& ranks, torch::Device device) {
  const std::vector<std::string> names = ranks.gather(name_of_gpu(device));
  const std::set<std::string> gpus(names.begin(), names.end());
  if (gpus.contains("")) throw ResourceError("not every rank has a GPU");
  if (gpus.size() < names.size()) throw ResourceError("two ranks share a GPU");
  const auto store = c10::make_intrusive<c10d::PrefixStore>("nccl", open_store(ranks));
  auto options = Group::Options::create();
  options->timeout = kPatience;
  return std::make_unique<GroupExchange<Group>>(device,
                                                c10::make_intrusive<Group>(store, ranks.rank(), ranks.size(), options));
}

}  // namespace neuopt::cli::mpi
