#include "cli/stop_signal.h"

#include <signal.h>

namespace neuopt::cli {
namespace {

const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

volatile bool stop_requested = false;

void request_stop(int) { stop_requested = true; }

}  // namespace

std::chrono::steady_clock::time_point process_start() { return started; }

const volatile bool* stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &stop_requested;
}

}  // namespace neuopt::cli
