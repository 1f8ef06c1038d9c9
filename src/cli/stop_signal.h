// The process as seen from outside: when it began, and whether someone asked it to stop.
#pragma once

#include <atomic>
#include <chrono>

namespace neuopt::cli {

/// When the program was started, near enough: taken before main begins, less the time to load its libraries.
std::chrono::steady_clock::time_point process_start();
/// Seconds since then.
double process_seconds();

/// From now on SIGINT, SIGTERM and, unless it is ignored, SIGHUP set the flag instead of ending the program; one that
/// comes a second or two after the first ends it at once. To be called when the input is read: a read that waits goes
/// on waiting. `answer`, if given, is written to standard error when the first one comes: for work that ends late.
const std::atomic<bool>* stop_on_signals(const char* answer = nullptr);

/// Sets that flag, as a first signal does.
void request_stop();

}  // namespace neuopt::cli
