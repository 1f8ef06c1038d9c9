#include "cli/stop_signal.h"

// NOLINTBEGIN(modernize-deprecated-headers): sigaction and clock_gettime are POSIX
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
// NOLINTEND(modernize-deprecated-headers)

namespace neuopt::cli {
namespace {

/// What the processor did for this process before any of our code ran: milliseconds, or tenths of a second where
/// LibTorch is loaded. More than that was done by a program that has replaced itself by this one.
std::chrono::steady_clock::duration loading_time() {
  constexpr std::chrono::milliseconds kMost{400};
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return {};
  const auto time = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  return time < kMost ? std::chrono::duration_cast<std::chrono::steady_clock::duration>(time)
                      : std::chrono::steady_clock::duration{};
}

const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now() - loading_time();

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only store to a lock-free flag");

std::atomic<long> first_signal{0};  // its second by the monotonic clock, which a signal handler may read; 0: none came
static_assert(std::atomic<long>::is_always_lock_free);

std::atomic<const char*> words{nullptr};  // for the first signal
static_assert(std::atomic<const char*>::is_always_lock_free);

/// One request often comes as two signals, to the process and to its group: only a later one means haste.
void take_signal(int signal_number) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  stop_requested = true;
  // The other of the two may run at the same time, on another thread.
  long first = 0;
  if (first_signal.compare_exchange_strong(first, now.tv_sec)) {
    const int code_of_others = errno;
    const char* text = words;
    if (text != nullptr && write(STDERR_FILENO, text, strlen(text)) < 0) errno = code_of_others;  // nobody reads it
  } else if (now.tv_sec > first + 1) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

}  // namespace

std::chrono::steady_clock::time_point process_start() { return started; }

double process_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); }

const std::atomic<bool>* stop_on_signals(const char* answer) {
  words = answer;
  struct sigaction action {};
  action.sa_handler = take_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);    // a file that may not grow is an error like others
  struct sigaction before {};  // nohup ignores the end of the terminal, and so do we then
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  return &stop_requested;
}

void request_stop() { stop_requested = true; }

}  // namespace neuopt::cli
