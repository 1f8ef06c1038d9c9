#include "cli/team.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/gpu_choice.h"
#include "cli/mpi/exchange.h"
#include "train/device.h"

namespace neuopt::cli {
namespace mpi {
namespace {

class RankTeam final : public train::Team {
 public:
  RankTeam(const Communicator& ranks, std::string exchange) : ranks_(ranks), word_(std::move(exchange)) {}

  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }

  std::string meet(torch::Device device) override {
    if (size() == 1) return "";
    OpenExchange open = open_exchange(ranks_, device, word_);
    exchange_ = std::move(open.exchange);
    return fmt::format("{} ranks learn together, gradients are added up by {}", size(), open.name);
  }

  void average(torch::Tensor& numbers) override {
    if (size() == 1) return;
    exchange_->add_up(numbers);
    numbers.div_(size());
  }

  bool any(bool yes) override { return ranks_.first_with(yes).has_value(); }
  double of_first(double number) override { return ranks_.of_first(number); }

 private:
  const Communicator& ranks_;
  std::string word_;                    // which exchange is wanted
  std::unique_ptr<Exchange> exchange_;  // since they met, if there are several
};

}  // namespace
}  // namespace mpi

int train_together(const std::string& exchange, const TeamJob& job) {
  const mpi::Communicator ranks;
  if (const int gpus = visible_gpus(); gpus > 1) choose_gpu(fmt::format("cuda:{}", ranks.local_rank() % gpus));
  if (ranks.size() > 1) train::set_threads(ranks.share_of_cores());
  try {
    return job(std::make_shared<mpi::RankTeam>(ranks, exchange));
  } catch (const std::exception& error) {
    // Most errors all ranks have alike; the first one speaks and ends them before the others would.
    if (ranks.rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
    say(fmt::format("neuopt: {}{}\n", ranks.rank() > 0 ? fmt::format("rank {}: ", ranks.rank()) : "",
                    error_text(error)));
    ranks.abort(exit_code(error));
  }
}

}  // namespace neuopt::cli
