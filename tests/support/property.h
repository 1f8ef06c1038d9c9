// RapidCheck properties inside GoogleTest, with a chosen number of cases and a fixed seed: a run can be repeated.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>
#include <utility>

#include "support/random_tour.h"

namespace neuopt::test {

/// Random numbers for the case at hand, which its description names by their seed.
inline Draws draw_seed() { return Draws(*rc::gen::arbitrary<std::uint64_t>().as("seed")); }

/// Checks the property for that many cases; the smallest counterexample found is part of the failure message.
template <class Property>
void check_property(int cases, Property&& property) {
  rc::detail::TestParams parameters;
  parameters.maxSuccess = cases;
  const auto result =
      rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, parameters);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
}

}  // namespace neuopt::test
