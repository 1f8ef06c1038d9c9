#include "cli/stop_signal.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, which has no csignal

namespace neuopt::cli {
namespace {

const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only store to a lock-free flag");

void request_stop(int) { stop_requested = true; }

}  // namespace

std::chrono::steady_clock::time_point process_start() { return started; }

double process_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); }

const std::atomic<bool>* stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &stop_requested;
}

}  // namespace neuopt::cli
