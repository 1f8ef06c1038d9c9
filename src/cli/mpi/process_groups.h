// The process groups of LibTorch (c10d) as ways to add up numbers. Each is built where its headers are found, see
// cmake/NeuoptMpi.cmake. All ranks call these together; they throw where they do not serve.
#pragma once

#include "cli/mpi/exchange.h"

namespace neuopt::cli::mpi {

/// Over TCP. On several machines GLOO_SOCKET_IFNAME names the network, as for PyTorch.
std::unique_ptr<Exchange> open_gloo(const Communicator& ranks, torch::Device device);

/// From GPU to GPU. Two ranks on one GPU are refused, by NCCL itself in fewer words.
std::unique_ptr<Exchange> open_nccl(const Communicator& ranks, torch::Device device);

}  // namespace neuopt::cli::mpi
