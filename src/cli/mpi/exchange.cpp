#include "cli/mpi/exchange.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/mpi/process_groups.h"
#include "core/error.h"

namespace neuopt::cli::mpi {
namespace {

class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(const Communicator& ranks) : ranks_(ranks) {}

  void add_up(torch::Tensor& numbers) override {
    torch::Tensor host = numbers.to(torch::kCPU).contiguous();
    ranks_.add_up(host.data_ptr<float>(), static_cast<int>(host.numel()));
    if (!host.is_same(numbers)) numbers.copy_(host);
  }

 private:
  const Communicator& ranks_;
};

std::unique_ptr<Exchange> open_mpi(const Communicator& ranks, torch::Device) {
  return std::make_unique<MpiExchange>(ranks);
}

struct Way {
  const char* word;
  const char* name;
  std::unique_ptr<Exchange> (*open)(const Communicator& ranks, torch::Device device);
};

constexpr Way kWays[] = {
#if defined(NEUOPT_HAVE_NCCL)
    {.word = "nccl", .name = "NCCL, from GPU to GPU", .open = open_nccl},
#endif
#if defined(NEUOPT_HAVE_GLOO)
    {.word = "gloo", .name = "Gloo, through the host", .open = open_gloo},
#endif
    {.word = "mpi", .name = "MPI, through the host", .open = open_mpi},
};

/// Why it does not serve here; empty when it does.
std::string try_here(const Way& way, const Communicator& ranks, torch::Device device,
                     std::unique_ptr<Exchange>& exchange) {
  try {
    exchange = way.open(ranks, device);
    torch::Tensor ones = torch::ones({1}, torch::dtype(torch::kFloat32).device(device));
    exchange->add_up(ones);
    return ones.item<float>() == static_cast<float>(ranks.size()) ? "" : "its sums are wrong";
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));  // LibTorch tells the calls that led there in further lines
  }
}

}  // namespace

OpenExchange open_exchange(const Communicator& ranks, torch::Device device, const std::string& word) {
  std::string refusals;
  for (const Way& way : kWays) {
    if (word != "auto" && word != way.word) continue;
    OpenExchange open{.exchange = nullptr, .name = way.name + refusals};
    std::string refusal;  // the same on all ranks, which take the same way
    for (const std::string& text : ranks.gather(try_here(way, ranks, device, open.exchange)))
      if (refusal.empty()) refusal = text;
    if (refusal.empty()) {
      open.exchange->settle();
      return open;
    }
    refusals += fmt::format(" (not {}: {})", way.word, refusal);
  }
  throw ResourceError(fmt::format("exchange {}: {}", word, refusals.empty() ? "this build has none" : refusals));
}

}  // namespace neuopt::cli::mpi
