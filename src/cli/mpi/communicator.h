// MPI as neuopt-mpi uses it: short messages of bytes between ranks that look for them from time to time. A blocking
// call of MPI would keep a core busy that a search could use.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neuopt::cli::mpi {

struct Message {
  int from = 0;
  int tag = 0;
  std::string bytes;
};

/// The ranks of this launch, between MPI_Init and MPI_Finalize. One for the process; only its main thread may call it.
class Communicator {
 public:
  Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }  // among those on this machine
  bool one_machine() const;                       // for all ranks
  std::string machine() const;                    // the name of this one
  /// Cores for this rank: those it may run on, shared equally with the ranks that may run on the same.
  int share_of_cores() const;

  void send(int to, int tag, std::string_view bytes) const;
  /// The next message that is there, if any.
  std::optional<Message> poll() const;

  // All ranks together.
  /// The text of each rank, on all of them.
  std::vector<std::string> gather(const std::string& text) const;
  /// The lowest rank for which something holds, e.g. that it failed.
  std::optional<int> first_with(bool holds_here) const;
  /// Replaces the numbers by their sums, the same bits on all ranks.
  void add_up(float* numbers, int count) const;
  /// The number of rank 0.
  double of_first(double number) const;

  /// Ends all ranks.
  [[noreturn]] void abort(int code) const;

 private:
  int rank_ = 0, size_ = 1, local_rank_ = 0;
  MPI_Comm machine_ = MPI_COMM_NULL;        // the ranks on this machine
  MPI_Datatype block_ = MPI_DATATYPE_NULL;  // what messages are sent in
};

}  // namespace neuopt::cli::mpi
