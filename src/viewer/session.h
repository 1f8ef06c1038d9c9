// What the pages of one viewer share: an instance, at most one search on it, and the best solution so far.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "neuopt.h"
#include "viewer/board.h"
#include "viewer/pacer.h"
#include "viewer/requests.h"

namespace neuopt::viewer {

/// How searches run; the same for all of them.
struct SearchChoice {
  std::string model = {};      // a path or a bundled name; "": the bundled one that fits best
  std::string device = "cpu";  // a search that is watched step by step gains nothing elsewhere
  int threads = 0;
};

/// A file to download.
struct Download {
  std::string name;
  std::string type;
  std::string bytes;
};

class Session {
 public:
  explicit Session(SearchChoice choice) : choice_(std::move(choice)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Ends the search.
  ~Session();

  Board& board() { return board_; }

  /// Opens the device and reads the model, which the first search would do otherwise. To be called before any search.
  /// Throws ResourceError when the device does not work here, InputError when there is no such model or it is for
  /// another problem than the instance.
  void prepare();

  /// Ends the search that runs and shows a new instance. Throws InputError when the bytes are no instance or one too
  /// large to look at; what was there then stays. `filename` is only for messages.
  void load(std::string_view bytes, const std::string& filename, const FileOverrides& overrides = {});
  /// The same with an instance that comes with the program. Throws InputError when there is none of that name.
  void load_example(std::string_view name);
  void generate(const GenerateRequest& request);

  /// Starts a search on the instance from the beginning; one that runs is ended. Its errors appear on the board.
  /// Throws InputError when there is no instance.
  void start(const StartRequest& request);
  void control(const ControlRequest& request);
  /// Ends the search and waits for it.
  void stop();

  // The best solution so far, verified; nothing when there is none.
  std::optional<Download> solution_file() const;
  std::optional<Download> picture() const;
  /// The instance as a file.
  std::optional<Download> instance_file() const;

 private:
  /// `notes` are what reading found unusual.
  void show(Instance instance, const std::vector<std::string>& notes = {});
  /// With `changes_` held. What pages ask for while the search ends is for `next`, the one that is about to begin.
  void end_search(std::shared_ptr<Pacer> next = nullptr);
  /// On a thread of its own, which holds the arguments.
  void search(StartRequest request, const std::shared_ptr<const Instance>& instance,
              const std::shared_ptr<Pacer>& pacer);
  /// The instance and the best solution, when both are there.
  std::optional<Solution> best_solution(const Instance& instance) const;

  SearchChoice choice_;
  std::optional<Solver> solver_;  // from prepare() or the first search on, and then only for the thread of the search
  Board board_;
  // The search's thread takes neither of the two; who takes both takes `changes_` first.
  std::mutex changes_;        // held from the end of one search to the begin of the next: one change at a time
  std::thread thread_;        // of the search; guarded by `changes_`
  mutable std::mutex mutex_;  // guards what follows, never for long: pages are answered while a search ends
  std::shared_ptr<const Instance> instance_;  // written with both held
  std::shared_ptr<Pacer> pacer_;              // of the search that runs, or of the one that is about to
};

}  // namespace neuopt::viewer
