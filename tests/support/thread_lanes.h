// Lanes as threads of the host: code written for the lanes of a GPU block runs side by side under the thread sanitizer.
#pragma once

#include <barrier>
#include <thread>
#include <vector>

namespace neuopt::test {

class ThreadLanes {
 public:
  ThreadLanes(int index, int count, std::barrier<>& barrier) : index_(index), count_(count), barrier_(&barrier) {}
  int first() const { return index_; }
  int stride() const { return count_; }
  void sync() const { barrier_->arrive_and_wait(); }

 private:
  int index_, count_;
  std::barrier<>* barrier_;
};

/// Runs body(lanes) on `count` threads at once.
template <class Body>
void run_lanes(int count, const Body& body) {
  std::barrier<> barrier(count);
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index)
    threads.emplace_back([&, index] { body(ThreadLanes(index, count, barrier)); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace neuopt::test
