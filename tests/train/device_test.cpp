// What a process takes of a machine: memory that it keeps, threads that it was told.
#include "train/device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <torch/utils.h>

namespace neuopt::train {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

TEST(Device, MemoryOfAStepIsThereForTheNext) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  const torch::Device device = prepare_device("cpu", 1);
  const auto steps = [&] {
    for (int i = 0; i < 10; ++i) torch::ones({64 << 20}, torch::dtype(torch::kByte).device(device));
  };
  steps();
  const long before = page_faults();
  steps();
  EXPECT_LT(page_faults() - before, 10000);  // 64 MB are 16,384 pages
}

TEST(Device, ThreadsAreThoseOfTheBlasToo) {
  const int threads = torch::get_num_threads();
  const auto of_blas = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  if (of_blas == nullptr) GTEST_SKIP() << "LibTorch has another BLAS";
  for (const int count : {2, 1}) {
    prepare_device("cpu", count);
    EXPECT_EQ(torch::get_num_threads(), count);
    EXPECT_EQ(of_blas(), count);
  }
  set_threads(threads);
}

}  // namespace
}  // namespace neuopt::train
