// A parallel loop over independent items. Results must not depend on who runs which item.
#pragma once

#include <functional>

namespace neuopt {

/// Threads to use for a request: itself when positive, else what the machine offers (its affinity mask counts).
int resolve_threads(int requested);

/// Calls body(item, worker) for every item in [0, count), on at most `threads` threads; worker is in [0, threads).
/// Fewer threads do the work when no more can be started.
/// The first exception thrown by a body is rethrown here once all workers have stopped.
void parallel_for(int count, int threads, const std::function<void(int item, int worker)>& body);

}  // namespace neuopt
