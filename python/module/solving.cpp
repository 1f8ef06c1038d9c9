// The Solver in Python. The search runs on a thread of its own, without the GIL; the calling thread looks some times a
// second whether there is progress to be told, and whether an interrupt is to end the search.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "module.h"
#include "search/model_choice.h"
#include "search/parts/search_by_parts.h"
#include "search/settings.h"

namespace neuopt::python {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // between two looks of the calling thread
/// A search that has taken so long is what an interrupt means to end; a loop of shorter ones is ended as a whole.
constexpr std::chrono::milliseconds kLongSearch{500};

/// What the thread of the search leaves for the calling one.
class Mailbox {
 public:
  void put(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  }
  void put_note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    notes_.texts.push_back(text);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    news_.notify_one();
  }
  /// Waits for the end of the search, not for long; true when it has ended.
  bool wait() {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, kLook, [this] { return closed_; });
  }
  std::optional<Progress> take_progress() {
    const std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }
  Notes take_notes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::optional<Progress> progress_;  // the latest that was not told
  Notes notes_;
  bool closed_ = false;
};

/// The thread of a search, which needs no GIL. However the calling thread leaves the search, also when the interpreter
/// ends or an exception is thrown, the search is stopped and waited for, since it uses what the caller holds.
class SearchThread {
 public:
  template <typename Work>
  SearchThread(const Work& work, std::atomic<bool>& stop) : stop_(stop), thread_(work) {}
  SearchThread(const SearchThread&) = delete;
  SearchThread& operator=(const SearchThread&) = delete;
  ~SearchThread() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool>& stop_;
  std::thread thread_;
};

/// The calling thread's side of a search: Python's functions, which the call's arguments keep alive, and what they
/// raised. It owns nothing of Python: when the interpreter ends, it goes without the GIL.
class Listener {
 public:
  Listener(py::handle progress, py::handle note) : progress_(progress), note_(note) {}

  /// Needs the GIL. An interrupt ends the search and is no error; anything else that is raised ends it too, and is
  /// left with this thread's state for later. Without `signals` an interrupt is left to Python.
  void listen(Mailbox& mailbox, std::atomic<bool>& stop, bool signals) {
    if (raised_) return;
    try {
      if (signals && PyErr_CheckSignals() != 0) throw py::error_already_set();
      mailbox.take_notes().deliver(note_);
      const std::optional<Progress> news = mailbox.take_progress();
      if (news && !progress_.is_none())
        call_python(progress_, news->instances_done, news->instances, news->step, news->best_cost, news->seconds,
                    news->feasible_share, news->steps_per_second);
    } catch (py::error_already_set& error) {
      stop = true;
      raised_ = !error.matches(PyExc_KeyboardInterrupt);
      if (raised_) error.restore();
    }
  }
  void rethrow() const {
    if (raised_) throw py::error_already_set();
  }

 private:
  py::handle progress_, note_;
  bool raised_ = false;
};

/// Runs a search as this file's first lines say. Called with the GIL.
std::vector<SolveResult> run(const std::function<std::vector<SolveResult>(const SolveCallbacks&)>& search,
                             Listener& listener) {
  Mailbox mailbox;
  std::atomic<bool> stop{false};
  SolveCallbacks callbacks;
  callbacks.progress = [&](const Progress& progress) { mailbox.put(progress); };
  callbacks.note = [&](const std::string& text) { mailbox.put_note(text); };
  callbacks.stop = &stop;
  std::vector<SolveResult> results;
  std::exception_ptr failure;
  bool long_search = false;
  const auto began = std::chrono::steady_clock::now();
  const auto work = [&] {
    try {
      results = search(callbacks);
    } catch (...) {
      failure = std::current_exception();
    }
    mailbox.close();
  };
  {
    const SearchThread thread(work, stop);
    while (!without_gil([&] { return mailbox.wait(); })) {
      long_search = std::chrono::steady_clock::now() - began >= kLongSearch;
      listener.listen(mailbox, stop, long_search);
    }
  }
  listener.listen(mailbox, stop, long_search);  // the last news
  listener.rethrow();
  if (failure) std::rethrow_exception(failure);
  return results;
}

std::string represented(const py::handle& object) { return py::repr(object).cast<std::string>(); }

long checked_whole(const char* name, const py::handle& object, long least, long most) {
  return py::module_::import("neuopt._options").attr("whole_number")(name, object, least, most).cast<long>();
}

/// The options by the names they have in Python. An option that is not given, or None, leaves its field as it is.
class OptionReader {
 public:
  explicit OptionReader(const py::dict& options) : options_(options) {}

  bool has(const char* name) const { return options_.contains(name) && !options_[name].is_none(); }

  template <typename Field>
  void read(const char* name, Field& field, const char* expected) const {
    if (!has(name)) return;
    try {
      field = options_[name].cast<Field>();
    } catch (const py::cast_error&) {
      throw InputError(fmt::format("{}: {}, expected {}", name, represented(options_[name]), expected));
    }
  }

  template <typename Field>
  void read_whole(const char* name, Field& field, long least = 0, long most = search::kMostCount) const {
    if (has(name)) field = static_cast<Field>(checked_whole(name, options_[name], least, most));
  }

  void read_ascending(const char* name, std::vector<long>& field, long most) const {
    if (!has(name)) return;
    for (const py::handle& object : options_[name]) {
      const long number = checked_whole(name, object, 0, most);
      if (!field.empty() && number <= field.back())
        throw InputError(fmt::format("{}: {} after {}, expected ascending steps", name, number, field.back()));
      field.push_back(number);
    }
  }

 private:
  const py::dict& options_;
};

/// When a search ends, and at which steps it is looked at.
void read_stops(const OptionReader& reader, SolveOptions& options) {
  reader.read("time_limit", options.time_limit, "seconds");
  reader.read("target", options.target_cost, "a cost");
  reader.read_whole("patience", options.patience);
  if (options.time_limit || options.patience > 0) options.steps.reset();  // as in the program
  reader.read_whole("steps", options.steps);
  reader.read_ascending("history", options.curve, options.steps.value_or(search::kMostCount));
  if (const double limit = options.time_limit.value_or(1); !(limit > 0 && limit <= search::kMostSecondsOffered))
    throw InputError(fmt::format("time_limit: {}, expected more than 0 and at most {:.0f} seconds", limit,
                                 search::kMostSecondsOffered));
  if (const double target = options.target_cost.value_or(0); !std::isfinite(target))
    throw InputError(fmt::format("target: {}, expected a finite number", target));
}

SolveOptions read_options(const py::dict& given) {
  SolveOptions options;
  const OptionReader reader(given);
  reader.read_whole("augment", options.copies, 1, search::kMostCopies);
  reader.read_whole("stall", options.stall_limit);
  reader.read_whole("seed", options.seed, 0, std::numeric_limits<long>::max());
  reader.read_whole("first_place", options.first_place, 0, std::numeric_limits<std::uint32_t>::max());
  reader.read_whole("threads", options.threads, 0, search::kMostThreads);
  reader.read("precision", options.precision, "a name");
  reader.read_whole("batch", options.session_copies, 0, search::kMostSessionCopies);
  reader.read_whole("polish", options.polish);
  reader.read_whole("restart", options.restart);
  reader.read("by_parts", options.by_parts, "True, False or None");
  read_stops(reader, options);

  std::vector<std::vector<int>> initial;
  reader.read("initial", initial, "routes of whole numbers");
  if (reader.has("initial")) options.initial = Solution{std::move(initial)};
  std::string start = search::start_name(options.start), policy = "model";
  reader.read("start", start, "a name");
  const std::optional<StartKind> kind = search::parse_start(start);
  if (!kind) throw InputError(fmt::format("start: '{}', expected auto, random, greedy, savings or curve", start));
  options.start = *kind;
  reader.read("policy", policy, "a name");
  if (policy != "model" && policy != "none")
    throw InputError(fmt::format("policy: '{}', expected model or none", policy));
  options.use_policy = policy == "model";
  bool no_augment = false;
  reader.read("no_augment", no_augment, "True or False");
  if (no_augment) {
    options.augment_start = false;
    options.stall_limit = 0;
  }
  return options;
}

/// The fields of neuopt.Result, but for the instance.
py::dict to_fields(const SolveResult& result) {
  py::list routes;
  for (const std::vector<int>& route : result.solution.routes)
    if (!route.empty()) routes.append(py::cast(route));
  py::dict fields;
  fields["index"] = result.instance;
  fields["routes"] = routes;
  fields["cost"] = result.cost;
  fields["feasible"] = result.feasible;
  fields["gap"] = result.gap;
  fields["history"] = result.curve;
  fields["steps"] = result.steps;
  fields["copies"] = result.copies;
  fields["seconds"] = result.seconds;
  fields["feasible_share"] = result.feasible_share;
  fields["stopped_by"] = search::stop_reason_name(result.stopped_by);
  fields["model"] = to_text(result.model);
  fields["checksum"] = result.checksum;
  fields["device"] = result.device;
  return fields;
}

py::dict solve_one(Solver& solver, const Instance& instance, const py::dict& given, py::handle progress,
                   py::handle note) {
  const SolveOptions options = read_options(given);
  Listener listener(progress, note);
  const auto search = [&](const SolveCallbacks& callbacks) {
    return std::vector<SolveResult>{solver.solve(instance, options, callbacks)};
  };
  return to_fields(run(search, listener).front());
}

py::list solve_set(Solver& solver, const std::vector<Instance>& instances, const py::dict& given, py::handle progress,
                   py::handle note) {
  const SolveOptions options = read_options(given);
  Listener listener(progress, note);
  const auto search = [&](const SolveCallbacks& callbacks) {
    return solver.solve(std::span(instances), options, callbacks);
  };
  const std::vector<SolveResult> found = run(search, listener);
  py::list results;  // not before: where the interpreter ends in the search, it would go without the GIL
  for (const SolveResult& result : found) results.append(to_fields(result));
  return results;
}

std::unique_ptr<Solver> open_solver(std::string model, std::string model_bytes, std::string device,
                                    const py::object& note) {
  Notes notes;
  std::unique_ptr<Solver> solver = without_gil([&] {
    if (!model.empty() && model_bytes.empty()) search::load_named_model(model);  // a wrong name is said at once
    return std::make_unique<Solver>(SolverOptions{.model = std::move(model),
                                                  .model_bytes = std::move(model_bytes),
                                                  .device = std::move(device),
                                                  .note = notes.sink()});
  });
  notes.deliver(note);
  return solver;
}

}  // namespace

void add_solver(py::module_& module) {
  py::class_<Solver> type(module, "Solver",
                          "A device, opened once, and the models that were needed. One call at a time.");
  refuse_unmade(type);
  type.def(py::init(&open_solver), py::arg("model"), py::arg("model_bytes"), py::arg("device"), py::arg("note"));
  type.def("solve", solve_one, py::arg("instance"), py::arg("options"), py::arg("progress"), py::arg("note"));
  type.def("solve_set", solve_set, py::arg("instances"), py::arg("options"), py::arg("progress"), py::arg("note"));
  type.def(
      "model_for",
      [](Solver& self, const Instance& instance, const py::dict& options) {
        const ModelLabel label = self.model_for(instance, read_options(options));
        return py::make_tuple(to_text(label.name), label.checksum);
      },
      py::arg("instance"), py::arg("options"));
  type.def_property_readonly("device", &Solver::device);
  module.def(
      "by_parts",
      [](const Instance& instance, const py::dict& options) {
        return search::by_parts(instance, read_options(options));
      },
      py::arg("instance"), py::arg("options"));
}

}  // namespace neuopt::python
