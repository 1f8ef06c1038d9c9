#include "cli/mpi/team.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "cli/console.h"
#include "cli/gpu_choice.h"
#include "cli/mpi/communicator.h"
#include "core/error.h"

namespace neuopt::cli::mpi {
namespace {

class RankTeam final : public train::Team {
 public:
  explicit RankTeam(const Communicator& ranks) : ranks_(ranks) {}

  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }

  void average(torch::Tensor& numbers) override {
    torch::Tensor host = numbers.to(torch::kCPU, torch::kFloat32).contiguous().view(-1);
    // One rank adds them up: an MPI_Allreduce need not give all ranks the same bits.
    MPI_Reduce(rank() == 0 ? MPI_IN_PLACE : host.data_ptr(), host.data_ptr(), static_cast<int>(host.numel()), MPI_FLOAT,
               MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(host.data_ptr(), static_cast<int>(host.numel()), MPI_FLOAT, 0, MPI_COMM_WORLD);
    numbers.copy_((host / size()).view(numbers.sizes()));
  }

  bool any(bool yes) override { return ranks_.first_with(yes).has_value(); }

  double of_first(double number) override {
    MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return number;
  }

 private:
  const Communicator& ranks_;
};

}  // namespace

int train_together(const std::function<int(std::shared_ptr<train::Team>)>& job) {
  const Communicator ranks;
  if (const int gpus = visible_gpus(); gpus > 1) choose_gpu(fmt::format("cuda:{}", ranks.local_rank() % gpus));
  if (ranks.size() > 1) torch::set_num_threads(ranks.share_of_cores());
  try {
    return job(std::make_shared<RankTeam>(ranks));
  } catch (const std::exception& error) {
    // Most errors all ranks have alike; the first one speaks and ends them before the others would.
    if (ranks.rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
    say(fmt::format("neuopt: {}{}\n", ranks.rank() > 0 ? fmt::format("rank {}: ", ranks.rank()) : "", error.what()));
    ranks.abort(dynamic_cast<const InputError*>(&error) != nullptr ? 2 : 3);
  }
}

}  // namespace neuopt::cli::mpi
