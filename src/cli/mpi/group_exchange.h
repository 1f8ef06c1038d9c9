// What the process groups have in common.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "cli/mpi/exchange.h"
#include "core/error.h"

namespace neuopt::cli::mpi {

/// Where the ranks find each other's addresses: rank 0 holds the store, and MPI says where it is.
inline c10::intrusive_ptr<c10d::Store> open_store(const Communicator& ranks) {
  const std::string here = "127.0.0.1";
  c10d::TCPStoreOptions options;
  options.port = 0;  // any that is free
  options.isServer = ranks.rank() == 0;
  options.waitWorkers = false;
  c10::intrusive_ptr<c10d::TCPStore> store;
  try {
    if (options.isServer) store = c10::make_intrusive<c10d::TCPStore>(here, options);
  } catch (const std::exception&) {
    store.reset();  // the others wait for a word
  }
  const int port = store ? store->getPort() : 0;
  options.port = static_cast<std::uint16_t>(std::stoi(ranks.gather(std::to_string(port)).front()));
  const std::string machine = ranks.gather(ranks.machine()).front();
  if (options.port == 0) throw ResourceError("rank 0 could not open a store for addresses");
  if (options.isServer) return store;
  return c10::make_intrusive<c10d::TCPStore>(ranks.one_machine() ? here : machine, options);
}

/// A rank may be late because its machine is busy, or was stopped for a while.
inline constexpr std::chrono::hours kPatience{7 * 24};

/// `Group` is ProcessGroupGloo or ProcessGroupNCCL, whose common base has different names in LibTorch 1 and 2.
template <typename Group>
class GroupExchange final : public Exchange {
 public:
  using Opened = c10::intrusive_ptr<Group>;

  /// Numbers are added up on `device`. A group that gives up soon is replaced by one of `settled` in the end.
  GroupExchange(torch::Device device, Opened group, std::function<Opened()> settled = {})
      : device_(device), settled_(std::move(settled)), group_(std::move(group)) {}
  ~GroupExchange() override { shut_down(*group_); }

  void add_up(torch::Tensor& numbers) override {
    std::vector<torch::Tensor> there{numbers.to(device_).contiguous()};
    try {
      group_->allreduce(there)->wait();
    } catch (const std::exception& error) {
      throw ResourceError(fmt::format("the ranks lost each other: {}", error.what()));
    }
    if (!there[0].is_same(numbers)) numbers.copy_(there[0]);
  }

  void settle() override {
    if (!settled_) return;
    trial_ = std::exchange(group_, {});  // closed at the end: others may still be using it
    group_ = settled_();
  }

 private:
  /// Newer groups of NCCL complain without it.
  template <typename G>
  static void shut_down(G& group) {
    if constexpr (requires { group.shutdown(); }) group.shutdown();
  }

  torch::Device device_;
  std::function<Opened()> settled_;
  Opened trial_, group_;
};

}  // namespace neuopt::cli::mpi
