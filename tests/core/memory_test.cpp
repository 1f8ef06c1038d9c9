#include "core/memory.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace neuopt {
namespace {

std::string refusal_to_read(double bytes, double limit) {
  try {
    require_memory_to_read(bytes, limit, "SET.npz", "5 instances");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Memory, IsAskedForWithBothFigures) {
  EXPECT_NO_THROW(require_memory(999, 1000, "numbers"));
  EXPECT_THROW(require_memory(1001, 1000, "numbers"), ResourceError);
  EXPECT_THROW(require_memory(1e18, 0, "numbers"), ResourceError);
}

TEST(Memory, ThatAFileAsksForIsTheFilesFault) {
  EXPECT_EQ(refusal_to_read(3e9, 2e6), "SET.npz: 5 instances need about 3.0 GB of memory, 2.0 MB are allowed");
  EXPECT_EQ(refusal_to_read(1999, 2000), "");
  EXPECT_NE(refusal_to_read(1e18, 0).find("SET.npz: 5 instances need about "), std::string::npos);
  EXPECT_EQ(refusal_to_read(1e6, 0), "");
}

}  // namespace
}  // namespace neuopt
