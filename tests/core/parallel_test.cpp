#include "core/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace neuopt {
namespace {

TEST(ParallelFor, RunsEveryItemOnce) {
  for (const int threads : {0, 1, 3, 8}) {
    std::vector<std::atomic<int>> runs(1000);
    parallel_for(static_cast<int>(runs.size()), threads, [&](int item, int) { ++runs[item]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1) << threads;
  }
}

TEST(ParallelFor, NumbersItsWorkersBelowTheThreads) {
  std::atomic<bool> in_range{true};
  parallel_for(1000, 4, [&](int, int worker) {
    if (worker < 0 || worker >= 4) in_range = false;
  });
  EXPECT_TRUE(in_range);
}

TEST(ParallelFor, DoesNothingForNoItems) {
  parallel_for(0, 4, [](int, int) { FAIL(); });
}

TEST(ParallelFor, PassesAnExceptionOn) {
  for (const int threads : {1, 4})
    EXPECT_THROW(parallel_for(100, threads,
                              [](int item, int) {
                                if (item == 42) throw std::runtime_error("42");
                              }),
                 std::runtime_error);
}

TEST(ParallelFor, GoesOnWhenNoThreadCanBeStarted) {
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 46), 0);  // no address space has room for that
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::vector<std::atomic<int>> runs(100);
  EXPECT_NO_THROW(parallel_for(100, 8, [&](int item, int) { ++runs[item]; }));
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(Threads, ResolveToAtLeastOne) {
  EXPECT_EQ(resolve_threads(5), 5);
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_GE(resolve_threads(-1), 1);
}

}  // namespace
}  // namespace neuopt
