// Watches a search for the pages: counts every step, and pins a frame to the board some twenty times a second.
#pragma once

#include <vector>

#include "search/observer.h"
#include "viewer/board.h"
#include "viewer/pacer.h"

namespace neuopt::viewer {

class Watcher final : public search::SearchObserver {
 public:
  /// Both must outlive this.
  Watcher(Board& board, Pacer& pacer) : board_(board), pacer_(pacer) {}

  void begin(const SearchInstance& instance, std::span<const std::vector<int>> starts) override;
  void step(const policy::StepRecord& record) override;
  bool knows_rounds() const override { return true; }
  void regions(std::span<const std::vector<int>> parts) override;
  /// Pins the answer as the best: what was seen step by step may be worse, or nothing at all when the search ended
  /// while its start was built. `answer` is a tour over the instance's nodes, as in a frame.
  void finish(double cost, const std::vector<int>& answer);

 private:
  void end_of_step();
  void publish();  // what is there now
  void pin(std::vector<int> new_best);
  std::vector<int> on_map(const std::vector<int>& order) const;
  double active_seconds() const;

  Board& board_;
  Pacer& pacer_;
  std::vector<int> node_of_;  // search node -> node of the instance; empty before the search begins
  double cost_scale_ = 1;
  int copies_ = 0;
  Frame frame_;  // all but the tours, which are kept in the search's numbers until a frame is pinned
  std::vector<int> order_, order_before_, best_order_;
  bool best_is_new_ = false;
  std::vector<Visit> visits_;  // since the last frame
  long feasible_ = 0, visited_ = 0;
  Pacer::Clock::time_point began_, published_;
};

}  // namespace neuopt::viewer
