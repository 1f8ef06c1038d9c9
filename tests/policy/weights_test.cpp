#include "policy/weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"

namespace neuopt::policy {
namespace {

const std::vector<TensorSpec> kSpecs = {{"a", {2, 3}}, {"b", {4}}};

std::string refusal(const NamedTensors& tensors) {
  Weights weights(kSpecs);
  try {
    weights.assign(tensors, "actor.", "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

NamedTensors good_tensors() {
  return {{"actor.a", Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})},
          {"actor.b", Tensor({4}, std::vector<double>{7, 8, 9, 10})}};
}

TEST(Weights, AreOneArrayInTheOrderOfTheirNames) {
  Weights weights(kSpecs);
  ASSERT_EQ(weights.flat().size(), 10u);
  weights.assign(good_tensors(), "actor.", "file");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(weights.flat()[i], static_cast<float>(i + 1));
  EXPECT_EQ(weights["b"].data(), weights.flat().data() + 6);
  weights["a"][0] = -1;
  EXPECT_EQ(weights.flat()[0], -1);
  EXPECT_THROW(weights["c"], InputError);
}

TEST(Weights, TensorsAndAssignAreInverse) {
  Weights weights(kSpecs), again(kSpecs);
  weights.assign(good_tensors(), "actor.", "file");
  again.assign(weights.tensors("x."), "x.", "file");
  EXPECT_TRUE(std::equal(weights.flat().begin(), weights.flat().end(), again.flat().begin()));
}

TEST(Weights, RefuseWhatDoesNotFit) {
  NamedTensors missing = good_tensors();
  missing.erase("actor.b");
  EXPECT_EQ(refusal(missing), "file: tensor actor.b is missing");
  NamedTensors bent = good_tensors();
  bent["actor.a"] = Tensor({3, 2}, std::vector<float>(6));
  EXPECT_EQ(refusal(bent), "file: tensor actor.a has shape (3,2), expected (2,3)");
  NamedTensors whole = good_tensors();
  whole["actor.b"] = Tensor({4}, std::vector<std::int32_t>(4));
  EXPECT_EQ(refusal(whole), "file: tensor actor.b has type i32, expected a floating one");
  NamedTensors broken = good_tensors();
  broken["actor.b"] = Tensor({4}, std::vector<float>{0, 0, std::numeric_limits<float>::quiet_NaN(), 0});
  EXPECT_EQ(refusal(broken), "file: tensor actor.b has values that are not finite");
}

}  // namespace
}  // namespace neuopt::policy
