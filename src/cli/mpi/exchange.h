// How the ranks of a training run add up their numbers: through a process group of LibTorch where it has one that
// serves here, else through MPI.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>

#include "cli/mpi/communicator.h"

namespace neuopt::cli::mpi {

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Replaces the numbers, single precision, by their sum over all ranks: the same bits on all. Throws ResourceError
  /// when a rank is lost.
  virtual void add_up(torch::Tensor& numbers) = 0;
  /// Once it serves on all ranks: from then on they wait for one another, however long it takes.
  virtual void settle() {}
};

struct OpenExchange {
  std::unique_ptr<Exchange> exchange;
  std::string name;  // for the log, with the reason when one before it failed
};

/// All ranks together. "auto" takes the first that serves of
///   nccl  from GPU to GPU; every rank needs one of its own,
///   gloo  through the host, over TCP,
///   mpi   through the host.
/// Throws ResourceError when one of these is named that this build does not have, or that fails.
OpenExchange open_exchange(const Communicator& ranks, torch::Device device, const std::string& word);

}  // namespace neuopt::cli::mpi
