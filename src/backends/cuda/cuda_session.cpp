#include "backends/cuda/cuda_session.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "backends/copy_state.h"
#include "backends/positions.h"
#include "kopt/choices.h"

namespace neuopt::backends::cuda {
namespace {

constexpr double kSliceSeconds = 0.025;  // of work queued at once
constexpr int kLongestSlice = 4096;

/// The choices (positions in the tour before the step) as nodes, up to the E-move.
struct ChosenNodes {
  std::vector<int> nodes;
  int k;  // of the exchange
};

ChosenNodes chosen_nodes(std::span<const std::int32_t> choices, const std::vector<int>& order_before) {
  ChosenNodes result;
  std::vector<int> cuts(choices.size());
  kopt::Action action = kopt::start_at_position(choices[0], static_cast<int>(order_before.size()), cuts.data());
  for (std::size_t k = 0; k < choices.size() && !action.closed; ++k) {
    if (k > 0) kopt::choose_position(action, choices[k]);
    result.nodes.push_back(order_before[static_cast<std::size_t>(choices[k])]);
  }
  result.k = action.cut_count + 1;
  return result;
}

}  // namespace

CudaSession::CudaSession(const std::shared_ptr<PreparedModel>& model, std::span<const policy::Copy> copies,
                         const policy::SessionOptions& options)
    : architecture_(model->architecture()) {
  std::map<int, std::vector<const policy::Copy*>> by_size;  // nodes
  std::map<int, int> batch_of;
  for (const policy::Copy& copy : copies) by_size[checked_instance(copy, architecture_).size()].push_back(&copy);
  int number = 0;
  for (const auto& [size, members] : by_size) {
    const double share = 1.0 / static_cast<double>(by_size.size() - static_cast<std::size_t>(number));
    batches_.push_back(std::make_unique<SizeBatch>(model, members, options, share, stream_));
    batch_of[size] = number++;
  }
  std::vector<int> rows(batches_.size(), 0);
  for (const policy::Copy& copy : copies) {
    const int batch = batch_of.at(copy.instance->size());
    places_.push_back({batch, rows[static_cast<std::size_t>(batch)]++});
  }
  stream_.synchronize();
}

int CudaSession::advance(int steps, const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  int taken = 0;
  while (taken < steps && !(stop != nullptr && *stop)) {
    const int now = observer_ ? 1 : std::min(slice_, steps - taken);
    const Clock::time_point begin = Clock::now();
    if (observer_) {
      advance_observed();
    } else {
      for (const auto& batch : batches_) batch->advance(now);
      stream_.synchronize();
    }
    taken += now;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (now == slice_ && seconds < kSliceSeconds / 2) slice_ = std::min(2 * slice_, kLongestSlice);
    if (seconds > 2 * kSliceSeconds) slice_ = std::max(slice_ / 2, 1);
  }
  return taken;
}

/// One step; what happened is put together from the tours before it and the choices.
void CudaSession::advance_observed() {
  std::vector<std::vector<int>> before;
  std::vector<std::uint32_t> augmentations;
  std::vector<double> best_before;
  for (int copy = 0; copy < copies(); ++copy) {
    before.push_back(current_tour(copy));
    augmentations.push_back(state(copy).augmentations);
    best_before.push_back(best_cost(copy));
  }
  std::vector<std::vector<std::int32_t>> choices;
  for (const auto& batch : batches_) {
    batch->advance(1);
    choices.push_back(batch->searches().choices());
  }
  for (int copy = 0; copy < copies(); ++copy) {
    const auto index = static_cast<std::size_t>(copy);
    const Place place = places_[index];
    const std::span<const std::int32_t> all(choices[static_cast<std::size_t>(place.batch)]);
    const auto moves = static_cast<std::size_t>(architecture_.max_moves);
    const ChosenNodes chosen =
        chosen_nodes(all.subspan(static_cast<std::size_t>(place.row) * moves, moves), before[index]);
    const std::vector<int> order = current_tour(copy);
    const env::SearchState& now = state(copy);
    const double best = best_cost(copy);
    const bool found_by_polish = best < best_before[index] && best < now.status.best_cost;
    const std::vector<int> polished = found_by_polish ? best_tour(copy) : std::vector<int>();
    observer_({.copy = copy,
               .step = now.status.history.steps - 1,
               .cost = now.status.cost,
               .best_cost = best,
               .best_epsilon_cost = now.status.best_epsilon_cost,
               .violation = now.status.violation,
               .k = chosen.k,
               .augmented = now.augmentations != augmentations[index],
               .chosen = chosen.nodes,
               .order = order,
               .polished = polished});
  }
}

void CudaSession::restart(std::span<const int> which, std::span<const policy::Copy> onto) {
  const auto place_of = [&](int copy) { return places_[static_cast<std::size_t>(copy)]; };
  check_restart(
      which, onto, copies(),
      [&](int copy) { return batches_[static_cast<std::size_t>(place_of(copy).batch)]->searches().nodes(); },
      architecture_);
  for (const policy::Copy& copy : onto) positions_of(copy.start, copy.instance->size());  // throws before any changes
  for (std::size_t batch = 0; batch < batches_.size(); ++batch) {
    std::vector<int> rows;
    std::vector<const policy::Copy*> members;
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (place_of(which[i]).batch != static_cast<int>(batch)) continue;
      rows.push_back(place_of(which[i]).row);
      members.push_back(&onto[i]);
    }
    if (!rows.empty()) batches_[batch]->restart(rows, members);
  }
}

const env::SearchState& CudaSession::state(int copy) const {
  const Place place = places_.at(static_cast<std::size_t>(copy));
  return batches_[static_cast<std::size_t>(place.batch)]->state(place.row);
}

double CudaSession::best_cost(int copy) const {
  const Place place = places_.at(static_cast<std::size_t>(copy));
  return batches_[static_cast<std::size_t>(place.batch)]->best_cost(place.row);
}

std::vector<int> CudaSession::best_tour(int copy) const {
  const Place place = places_.at(static_cast<std::size_t>(copy));
  return batches_[static_cast<std::size_t>(place.batch)]->best_order(place.row);
}

std::vector<int> CudaSession::current_tour(int copy) const {
  const Place place = places_.at(static_cast<std::size_t>(copy));
  return batches_[static_cast<std::size_t>(place.batch)]->order(place.row);
}

policy::Visits CudaSession::visits() const {
  policy::Visits visits;
  for (int copy = 0; copy < copies(); ++copy)
    visits += {.all = state(copy).status.history.steps, .feasible = state(copy).feasible_steps};
  return visits;
}

}  // namespace neuopt::backends::cuda
