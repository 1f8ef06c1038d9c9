#include "cli/mpi/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/in_order.h"
#include "cli/mpi/meeting.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "core/file.h"

namespace neuopt::cli::mpi {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

enum Tag {
  kAnswers,  // to rank 0: of the last chunk, and a wish for another; empty at first
  kRate,     // to rank 0: steps in a second
  kStopped,  // to rank 0: someone asked this rank to stop
  kChunk,    // from rank 0
};

constexpr auto kLook = 2ms;  // between two looks for messages

class Coordinator {
 public:
  Coordinator(const Part& part, RunFile* file)
      : part_(part),
        file_(file),
        results_(file != nullptr ? std::move(file->continued()) : std::vector<SolveResult>()),
        begun_with_(static_cast<int>(results_.size())),
        lines_([this](const std::string& line) { write(line); }, begun_with_),
        schedule_(part.set, part.options, begun_with_, ranks().size(), part.gpu),
        rates_(static_cast<std::size_t>(ranks().size())),
        others_(ranks().size() - 1),
        progress_(part.set.common.quiet, part.set.common.verbose) {}

  std::vector<SolveResult> run();

 private:
  void solve_here();
  void take(std::vector<Answer> answers);
  void handle(const Message& message);
  void look_after();
  void write(const std::string& line);
  [[noreturn]] void stopped(const std::string& reason);

  const Part& part_;
  RunFile* file_;
  std::vector<SolveResult> results_;  // of all that is known, in any order
  int begun_with_;                    // instances done by an earlier run
  InOrder lines_;
  Schedule schedule_;
  std::vector<double> rates_;  // steps in a second, by rank
  int others_;                 // other ranks that are at work
  ProgressLine progress_;
  const std::atomic<bool>* stop_ = stop_on_signals();
  std::mutex mutex_;            // what both threads touch: all of the above but the progress line
  std::exception_ptr failure_;  // of the thread that solves
  bool here_done_ = false;      // that thread has no more to do
};

void Coordinator::write(const std::string& line) {
  if (file_ != nullptr)
    file_->append(line);
  else if (part_.set.print_lines || part_.set.output == kStandardOutput)
    fmt::print("{}", line);
}

void Coordinator::take(std::vector<Answer> answers) {
  for (Answer& answer : answers) {
    lines_.add(answer.result.instance, std::move(answer.line));
    results_.push_back(std::move(answer.result));
  }
  if (file_ == nullptr) std::fflush(stdout);
}

void Coordinator::solve_here() {
  const WarningSink note = part_.set.common.quiet ? WarningSink{} : warn_on_stderr();
  try {
    for (;;) {
      std::unique_lock lock(mutex_);
      const Chunk chunk = schedule_.next();
      if (chunk.count == 0 || stop_->load()) break;
      lock.unlock();
      const auto rate = [&](double steps) {
        const std::lock_guard guard(mutex_);
        rates_[0] = steps;
      };
      std::vector<Answer> answers = solve_chunk(part_.set, part_.solver, part_.options, chunk, stop_, rate, note);
      lock.lock();
      take(std::move(answers));
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  here_done_ = true;
  rates_[0] = 0;
}

void Coordinator::handle(const Message& message) {
  double& rate = rates_[static_cast<std::size_t>(message.from)];
  if (message.tag == kStopped) stopped(fmt::format("rank {} was stopped", message.from));
  if (message.tag == kRate) std::memcpy(&rate, message.bytes.data(), std::min(message.bytes.size(), sizeof(rate)));
  if (message.tag != kAnswers) return;
  if (!message.bytes.empty()) take(unpack_answers(message.bytes));
  const Chunk chunk = schedule_.next();
  ranks().send(message.from, kChunk, pack(chunk));
  if (chunk.count > 0) return;
  --others_;
  rate = 0;
}

/// Between two messages.
void Coordinator::look_after() {
  if (failure_) std::rethrow_exception(failure_);
  if (stop_->load()) stopped("the run was stopped");
  const double rate = std::accumulate(rates_.begin(), rates_.end(), 0.0);
  const int size = ranks().size();
  progress_.show(fmt::format("{}/{} instances done on {} {}  {:.1f} s  {:.0f} instance-steps/s", results_.size(),
                             part_.set.instances.size(), size, size == 1 ? "rank" : "ranks", process_seconds(), rate));
}

/// What is in the file stays there.
void Coordinator::stopped(const std::string& reason) {
  progress_.clear();
  std::string text = fmt::format("{}: {} of {} instances were done", reason, lines_.next(), part_.set.instances.size());
  if (file_ != nullptr) text += fmt::format(" and are in {}; --resume continues it", part_.set.output);
  end_launch(text, kResourceFailed);
}

std::vector<SolveResult> Coordinator::run() {
  std::thread here([this] { solve_here(); });
  try {
    for (bool done = false; !done;) {
      const std::optional<Message> message = ranks().poll();
      std::unique_lock lock(mutex_);
      if (message) handle(*message);
      look_after();
      done = here_done_ && others_ == 0;
      lock.unlock();
      if (!message) std::this_thread::sleep_for(kLook);
    }
  } catch (const std::exception& error) {
    end_launch(error_text(error), exit_code(error));
  }
  here.join();
  std::sort(results_.begin(), results_.end(), [](const auto& a, const auto& b) { return a.instance < b.instance; });
  return std::move(results_);
}

/// Rank 0 says what there is to say, and ends all.
[[noreturn]] void report_stop() {
  ranks().send(0, kStopped, {});
  std::this_thread::sleep_for(10s);
  end_launch("was stopped", kResourceFailed);
}

}  // namespace

std::vector<SolveResult> coordinate(const Part& part, RunFile* file) { return Coordinator(part, file).run(); }

void work(const Part& part) {
  const std::atomic<bool>* stop = stop_on_signals();
  Clock::time_point told{};
  const auto tell_rate = [&](double steps) {
    if (Clock::now() - told < 1s) return;
    told = Clock::now();
    ranks().send(0, kRate, std::string_view(reinterpret_cast<const char*>(&steps), sizeof(steps)));
  };
  std::string answers;  // of the last chunk
  for (;;) {
    ranks().send(0, kAnswers, answers);
    std::optional<Message> message;
    while (!(message = ranks().poll()) && !stop->load()) std::this_thread::sleep_for(kLook);
    if (stop->load()) report_stop();
    const Chunk chunk = unpack_chunk(message->bytes);
    if (chunk.count == 0) return;
    answers = pack(solve_chunk(part.set, part.solver, part.options, chunk, stop, tell_rate, {}));
    if (stop->load()) report_stop();
  }
}

}  // namespace neuopt::cli::mpi
