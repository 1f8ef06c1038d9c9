#include <chrono>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "cli/mpi/group_exchange.h"
#include "cli/mpi/process_groups.h"

namespace neuopt::cli::mpi {
namespace {

using Group = c10d::ProcessGroupGloo;

std::shared_ptr<::gloo::transport::Device> network(const Communicator& ranks) {
  if (ranks.one_machine()) return Group::createDeviceForHostname("127.0.0.1");
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  return interface != nullptr ? Group::createDeviceForInterface(interface) : Group::createDefaultDevice();
}

}  // namespace

/// A machine may know itself under an address that the others cannot reach: then the first group gives up soon.
std::unique_ptr<Exchange> open_gloo(const Communicator& ranks, torch::Device) {
  const c10::intrusive_ptr<c10d::Store> store = open_store(ranks);
  const auto open = [&ranks, store](const std::string& name, std::chrono::milliseconds patience) {
    auto options = Group::Options::create(patience);
    options->devices.push_back(network(ranks));
    return c10::make_intrusive<Group>(c10::make_intrusive<c10d::PrefixStore>(name, store), ranks.rank(), ranks.size(),
                                      options);
  };
  return std::make_unique<GroupExchange<Group>>(torch::kCPU, open("trial", std::chrono::seconds(30)),
                                                [open] { return open("training", kPatience); });
}

}  // namespace neuopt::cli::mpi
