#include "core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace neuopt {

int resolve_threads(int requested) {
  if (requested > 0) return requested;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(int count, int threads, const std::function<void(int, int)>& body) {
  const int workers = std::min(std::max(threads, 1), count);
  if (workers <= 1) {
    for (int item = 0; item < count; ++item) body(item, 0);
    return;
  }
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](int worker) {
    try {
      for (int item = next++; item < count; item = next++) body(item, worker);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(workers - 1);
  try {
    for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work, worker);
  } catch (const std::exception&) {
    // The machine has no room for another thread: those there are do all the work.
  }
  work(0);
  for (auto& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace neuopt
