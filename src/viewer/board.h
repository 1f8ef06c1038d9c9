// The board between the search and the pages: the search pins what it looks like now, pages read what is new to them.
// The search only ever copies a few arrays under a mutex; text is made by the threads of the pages.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace neuopt::viewer {

/// One solution visited by the copy that is shown.
struct Visit {
  long step = 0;
  double cost = 0;
  double best = 0;  // of all copies
  bool feasible = true;
};

/// A search at one moment. Tours are nodes of the instance, from 0, by position; the depot stands at every visit.
struct Frame {
  long step = 0;
  double cost = 0;
  double best_cost = 0;  // of all copies
  double violation = 0;  // excess load in units of the capacity
  int k = 0;             // of the last exchange; 0: none yet
  int anchor = -1;       // the node where the last exchange began; -1: none
  std::vector<int> tour;
  std::vector<int> before;  // tour before the last exchange
  long augmentations = 0;   // drawn by all copies
  double feasible_share = 1;
  double steps_per_second = 0;  // of all copies
  double seconds = 0;           // without pauses
  std::vector<long> k_counts;   // [k] exchanges of that size, of all copies
};

/// What a page has already got: the number of the last one of each. A new one gets the state in any case.
struct Cursor {
  long change = -1, instance = 0, run = 0, best = 0, regions = 0, state = -1, thinning = 0;
  std::size_t visits = 0;
};

class Board {
 public:
  /// A new instance as JSON; takes down everything about the last one.
  void show_instance(std::string json);
  /// A new search as JSON.
  void begin_run(std::string json);
  /// The search now, the solutions visited since the last call, and the best tour when it is a new one (else empty).
  void show_frame(Frame frame, const std::vector<Visit>& visits, std::vector<int> new_best);
  /// The parts of the instance that are searched by themselves now, each a list of its nodes; none: the whole.
  void show_regions(std::vector<std::vector<int>> regions);
  /// The speed that pages have chosen: steps in a second; 0: as fast as it goes.
  void show_speed(double steps_per_second);
  /// "empty", "ready", "running", "paused", "done" or "failed", and details as JSON ("" for none).
  void show_state(const std::string& phase, std::string details = "");

  /// Moves from one phase to another; false, and nothing happens, when the board shows a third.
  bool change_phase(const std::string& from, const std::string& to);

  std::vector<int> best_tour() const;

  /// What changed since the cursor, as text of server-sent events, and moves the cursor. Waits for a change up to
  /// `patience`; "" when there was none.
  std::string news(Cursor& cursor, std::chrono::milliseconds patience);
  /// Wakes everyone who waits.
  void close();

 private:
  void changed();
  void keep_visits(const std::vector<Visit>& visits);
  void take_regions(std::vector<std::vector<int>> regions);

  mutable std::mutex mutex_;
  std::condition_variable condition_;
  Cursor now_{0, 0, 0, 0, 0, 0, 0, 0};  // numbers of the newest of each
  bool closed_ = false;
  std::string instance_, run_, phase_ = "empty", details_;
  double speed_ = 0;
  Frame frame_;
  std::vector<int> best_;
  std::vector<std::vector<int>> regions_;
  std::vector<Visit> visits_;  // every stride-th of all
  long stride_ = 1;
};

}  // namespace neuopt::viewer
