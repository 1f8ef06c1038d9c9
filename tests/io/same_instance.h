// Comparing instances that were written and read again.
#pragma once

#include <gtest/gtest.h>

#include "problem/instance.h"

namespace neuopt::test {

/// All that makes the problem; names, comments and reference costs may differ.
inline void expect_same_problem(const Instance& a, const Instance& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.matrix, b.matrix);
  EXPECT_EQ(a.demand, b.demand);
  EXPECT_EQ(a.capacity, b.capacity);
  EXPECT_EQ(a.depot, b.depot);
  EXPECT_EQ(a.fixed_edges, b.fixed_edges);
  EXPECT_EQ(a.service, b.service);
  ASSERT_EQ(a.windows.size(), b.windows.size());
  for (std::size_t i = 0; i < a.windows.size(); ++i) {
    EXPECT_EQ(a.windows[i].opens, b.windows[i].opens);
    EXPECT_EQ(a.windows[i].closes, b.windows[i].closes);
  }
  ASSERT_EQ(a.coordinates.size(), b.coordinates.size());
  for (std::size_t i = 0; i < a.coordinates.size(); ++i) {
    EXPECT_EQ(a.coordinates[i].x, b.coordinates[i].x);
    EXPECT_EQ(a.coordinates[i].y, b.coordinates[i].y);
  }
}

}  // namespace neuopt::test
