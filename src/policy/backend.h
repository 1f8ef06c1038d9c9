// A backend runs the policy. It opens a session on a batch of copies (searches), keeps the whole state of those
// searches where it computes, and advances them many steps in one call.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/augment.h"
#include "env/gire.h"
#include "env/status.h"
#include "local/neighbours.h"
#include "policy/model.h"
#include "problem/normalize.h"

namespace neuopt::policy {

/// How many solutions were visited, the starts not among them.
struct Visits {
  std::int64_t all = 0, feasible = 0;

  Visits& operator+=(const Visits& other) {
    all += other.all;
    feasible += other.feasible;
    return *this;
  }
  double feasible_share() const { return all > 0 ? static_cast<double>(feasible) / static_cast<double>(all) : 1; }
};

/// One search to run: an instance, who it is (for the random numbers) and where it starts.
struct Copy {
  const SearchInstance* instance;                 // must outlive the session; with a matrix or Metric::unit
  std::uint32_t instance_id;                      // index of the instance in its set
  std::uint32_t copy_id;                          // index of the copy of that instance
  std::vector<int> start;                         // tour in order of position, start[0] == 0
  const local::Neighbours* neighbours = nullptr;  // for the polish; must outlive the session
};

struct SessionOptions {
  std::uint64_t seed = 1;
  int stall_limit = 10;            // T_D2A: steps without a new best before a new augmentation; 0: never a new one
  bool augment_start = true;       // begin from a random augmentation; false: from the coordinates as they are
  int threads = 0;                 // 0: all the machine offers
  env::GireParameters gire;        // must agree with the model's training
  std::string precision;           // "": the backend's default; see each backend for others
  int foresight = kMostForesight;  // edges that a model with prospects looks at, at most
  // Beyond the paper; both count the steps of the session.
  int polish_interval = 0;   // steps between two polishes of the current tours (local/polish.h); 0: never
  int restart_interval = 0;  // steps between two returns of a copy to its best tour; 0: never
};

/// What happened to one copy in one step, for traces and viewers.
struct StepRecord {
  int copy;                       // index in the session
  int step;                       // from 0
  double cost;                    // of the solution after the step
  double best_cost;               // after the step
  double best_epsilon_cost;       // after the step
  float violation;                // after the step; 0: feasible
  int k;                          // new edges: I-moves + 1 (1: void action)
  bool augmented;                 // a new augmentation was drawn after this step
  std::span<const int> chosen;    // the nodes chosen by the basis moves
  std::span<const int> order;     // the tour after the step
  std::span<const int> polished;  // the best tour when the polish after this step found it; else empty
};

/// Called after each step of each copy, in order of copies within a step. May be slow; only for one or few copies.
using StepObserver = std::function<void(const StepRecord&)>;

class Session {
 public:
  virtual ~Session() = default;

  /// Takes `steps` search steps on every copy. Returns early, with all copies at the same step, soon after
  /// `*stop` becomes true (when given). Returns the steps taken.
  virtual int advance(int steps, const std::atomic<bool>* stop = nullptr) = 0;

  virtual int copies() const = 0;
  /// Costs and feasibility of a copy now.
  virtual env::SearchStatus status(int copy) const = 0;
  /// Cost of the best feasible tour of a copy so far, visited or polished; infinite when there is none.
  virtual double best_cost(int copy) const = 0;
  /// That tour (the start when there is none), in order of position.
  virtual std::vector<int> best_tour(int copy) const = 0;
  virtual std::vector<int> current_tour(int copy) const = 0;
  /// Of all copies.
  virtual Visits visits() const = 0;

  /// Restarts copies, each on another instance or tour with as many search nodes: they begin anew there, as if the
  /// session had been opened with them. Throws InputError, and changes nothing, when that is not possible.
  virtual void restart(std::span<const int> which, std::span<const Copy> onto) = 0;

  /// Watches every step from now on; an empty function ends it. Backends without support throw InputError.
  virtual void observe(StepObserver observer) = 0;
};

/// The state of one search as the network sees it, for checking one backend against another or a trace.
struct NetworkInput {
  int nodes;                           // N
  int depots;                          // D
  std::span<const float> features;     // (N, features)
  std::span<const int> order;          // (N) tour
  std::span<const float> exploration;  // (9) ES features; empty for the TSP
  int previous_anchor;                 // -1: none
  std::span<const int> choices;        // (K) nodes to choose, as recorded
  float above_best = 0;                // env::above_best, for a network with prospects
};

struct NetworkOutput {
  std::vector<double> embeddings;  // (N, d) encoder output
  std::vector<double> logits;      // (K, N); -1e30 where a choice is not legal; steps after an E-move are left 0
  double log_prob = 0;             // of the recorded choices
  double entropy = 0;              // sum over the decoding steps taken, divided as in the traces
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// "reference", "cpu (avx512)", ...
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Session> open(std::shared_ptr<const Model> model, std::span<const Copy> copies,
                                        const SessionOptions& options) = 0;
  /// Copies that one session should have at this size for throughput; 0: no preference.
  virtual int preferred_copies(int /*nodes*/) const { return 0; }
  /// Bytes of the host's memory that a session of so many copies takes, about; 0: it lives elsewhere.
  virtual double session_bytes(const std::shared_ptr<const Model>& /*model*/, int /*nodes*/, int /*copies*/,
                               const SessionOptions& /*options*/) {
    return 0;
  }
  /// Steps between two polishes that pay: often where they cost little beside a step of the network.
  virtual int usual_polish_interval(ProblemKind) const { return 10; }
  /// Runs the network once on given states with given choices.
  virtual std::vector<NetworkOutput> evaluate(const Model& model, std::span<const NetworkInput> inputs) = 0;
};

}  // namespace neuopt::policy
