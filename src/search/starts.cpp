#include "search/starts.h"

#include "env/host_instance.h"
#include "problem/start.h"

namespace neuopt::search {
namespace {

constexpr int kLargestRandomStart = 200;  // customers
constexpr double kFamiliar = 1.3;         // times the size that a model was trained on

/// Whether the model is better off with a tour that is half right.
bool greedy_helps(const SearchInstance& instance, int trained_size) {
  return instance.customers() > kLargestRandomStart ||
         (trained_size > 0 && instance.customers() > kFamiliar * trained_size);
}

}  // namespace

std::vector<std::vector<int>> choose_starts(const SearchInstance& instance, const SolveOptions& options,
                                            int trained_size) {
  const auto copies = static_cast<std::size_t>(options.copies);
  if (options.start == StartKind::greedy ||
      (options.start == StartKind::automatic && greedy_helps(instance, trained_size)))
    return std::vector(copies, greedy_start(instance));  // the same for all: nothing in it is random
  std::vector<std::vector<int>> starts;
  for (std::uint32_t copy = 0; copy < copies; ++copy)
    starts.push_back(env::standard_start(instance, Random{options.seed}, 0, copy));
  return starts;
}

Solution split_overloaded(const Instance& instance, const Solution& solution) {
  const double limit = instance.capacity * (1 + 1e-9);  // room for the rounding of sums that are not whole numbers
  Solution result;
  for (const auto& route : solution.routes) {
    double load = 0;
    bool open = false;
    for (const int node : route) {
      const double demand = instance.demand[static_cast<std::size_t>(node)];
      if (!open || load + demand > limit) {
        result.routes.emplace_back();
        load = 0;
        open = true;
      }
      load += demand;
      result.routes.back().push_back(node);
    }
  }
  return result;
}

}  // namespace neuopt::search
