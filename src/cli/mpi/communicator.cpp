#include "cli/mpi/communicator.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace neuopt::cli::mpi {
namespace {

/// MPI counts what it sends by an int, and all answers of a set may have more than 2 GiB: messages are sent in blocks.
/// The last block is filled up, with 1 to kBlock bytes each of which is their number.
constexpr std::size_t kBlock = 64;
using Block = std::array<char, kBlock>;

std::vector<Block> to_blocks(std::string_view bytes) {
  std::vector<Block> blocks(bytes.size() / kBlock + 1);
  const std::size_t excess = blocks.size() * kBlock - bytes.size();
  std::memset(&blocks.back(), static_cast<int>(excess), kBlock);
  if (!bytes.empty()) std::memcpy(blocks.data(), bytes.data(), bytes.size());
  return blocks;
}

std::string from_blocks(const std::vector<Block>& blocks) {
  const auto excess = static_cast<std::size_t>(blocks.back().back());
  return {blocks.front().data(), blocks.size() * kBlock - excess};
}

}  // namespace

// Errors of MPI end the launch, which is its default; there is nothing that a rank could do without the others.

Communicator::Communicator() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine_);
  MPI_Comm_rank(machine_, &local_rank_);
  MPI_Type_contiguous(static_cast<int>(kBlock), MPI_BYTE, &block_);
  MPI_Type_commit(&block_);
}

Communicator::~Communicator() {
  MPI_Type_free(&block_);
  MPI_Comm_free(&machine_);
  MPI_Finalize();
}

bool Communicator::one_machine() const {
  int neighbours = 0;
  MPI_Comm_size(machine_, &neighbours);
  return neighbours == size_;
}

std::string Communicator::machine() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return std::string(name.data(), static_cast<std::size_t>(length));
}

int Communicator::share_of_cores() const {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof(mine), &mine);
  int neighbours = 0;
  MPI_Comm_size(machine_, &neighbours);
  std::vector<cpu_set_t> sets(static_cast<std::size_t>(neighbours));
  MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, sets.data(), sizeof(mine), MPI_BYTE, machine_);
  const auto sharers =
      std::count_if(sets.begin(), sets.end(), [&](const cpu_set_t& set) { return CPU_EQUAL(&set, &mine); });
  return std::max(1, CPU_COUNT(&mine) / static_cast<int>(sharers));
}

void Communicator::send(int to, int tag, std::string_view bytes) const {
  const std::vector<Block> blocks = to_blocks(bytes);
  MPI_Send(blocks.data(), static_cast<int>(blocks.size()), block_, to, tag, MPI_COMM_WORLD);
}

std::optional<Message> Communicator::poll() const {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  int count = 0;
  MPI_Get_count(&status, block_, &count);
  std::vector<Block> blocks(static_cast<std::size_t>(count));
  MPI_Recv(blocks.data(), count, block_, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return Message{.from = status.MPI_SOURCE, .tag = status.MPI_TAG, .bytes = from_blocks(blocks)};
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_)), places(lengths.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::size_t total = 0;
  for (std::size_t i = 0; i < lengths.size(); total += static_cast<std::size_t>(lengths[i++]))
    places[i] = static_cast<int>(total);
  std::string all(total, '\0');
  MPI_Allgatherv(text.data(), length, MPI_BYTE, all.data(), lengths.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    texts.push_back(all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

std::optional<int> Communicator::first_with(bool holds_here) const {
  int mine = holds_here ? rank_ : size_, first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return first < size_ ? std::optional(first) : std::nullopt;
}

void Communicator::add_up(float* numbers, int count) const {
  // One rank adds them up: an MPI_Allreduce need not give all ranks the same bits.
  MPI_Reduce(rank_ == 0 ? MPI_IN_PLACE : numbers, numbers, count, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(numbers, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

double Communicator::of_first(double number) const {
  MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return number;
}

void Communicator::abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // MPI_Abort does not return
}

}  // namespace neuopt::cli::mpi
