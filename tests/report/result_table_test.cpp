#include "report/result_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace neuopt::report {
namespace {

using Results = std::vector<std::optional<MeasuredResult>>;

constexpr const char* kPlan =
    "instance,result,input,instances,nodes,augment,steps,paper mean,note\n"
    "alpha,alpha-a5,alpha.tsp,10,100,5,2000,0.50 %,x\n"
    "beta,beta-a5,beta.tsp,10,1000,5,2000,1.50 %,y\r\n"
    "\n"
    "gamma,gamma-a5,gamma.tsp,10,100,5,2000,4.00 %,z\n";

nlohmann::json alpha_result() {
  return {{"file", "alpha.tsp"},
          {"instances", 1},
          {"runs", 10},
          {"steps", 2000},
          {"augment", 5},
          {"mean_cost", 1012.5},
          {"infeasible", 0},
          {"reference_cost", 1000.0},
          {"gap_percent", 1.25},
          {"seconds", 1234.5},
          {"device", "a|b"},
          {"best_gap_percent", 0.001},
          {"model", "models/tsp"},
          {"interrupted", false},
          {"model_checksum", "fnv1a64:0123456789abcdef"}};
}

const PlanRow& alpha_row() {
  static const ResultPlan plan = parse_result_plan(kPlan, "plan.csv");
  return plan.rows[0];
}

MeasuredResult parse(const nlohmann::json& object) {
  return parse_measured_result(object.dump(), "alpha.json", alpha_row());
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResultPlan, ReadsRowsAndKeepsWhatItDoesNotKnowAsFigures) {
  const ResultPlan plan = parse_result_plan(kPlan, "plan.csv");
  EXPECT_EQ(plan.label_header, "instance");
  EXPECT_EQ(plan.other_headers, (std::vector<std::string>{"paper mean", "note"}));
  ASSERT_EQ(plan.rows.size(), 3u);
  EXPECT_EQ(plan.rows[1].label, "beta");
  EXPECT_EQ(plan.rows[1].result, "beta-a5");
  EXPECT_EQ(plan.rows[1].input, "beta.tsp");
  EXPECT_EQ(plan.rows[1].instances, 10);
  EXPECT_EQ(plan.rows[1].augment, 5);
  EXPECT_EQ(plan.rows[1].steps, 2000);
  EXPECT_EQ(plan.rows[1].others, (std::vector<std::string>{"1.50 %", "y"}));
  EXPECT_EQ(parse_result_plan("\xef\xbb\xbf" + std::string(kPlan), "plan.csv").label_header, "instance");
}

TEST(ResultPlan, NamesTheLineThatIsWrong) {
  const std::string header = "set,result,input,instances,nodes,augment,steps\n";
  const auto error = [](const std::string& text) { return error_of([&] { parse_result_plan(text, "plan.csv"); }); };
  EXPECT_EQ(error(header + "a,a,a.npz,1,1,1,1\nb,b,b.npz,1,1,1\n"), "plan.csv:3: 6 cells, expected 7");
  EXPECT_EQ(error(header + "a,a,a.npz,1,1,1,many\n"), "plan.csv:2: steps 'many', expected a whole number from 1");
  EXPECT_EQ(error(header + "a,../a,a.npz,1,1,1,1\n"), "plan.csv:2: result '../a', expected a file name");
  EXPECT_EQ(error("set,result,input\n"), "plan.csv:1: expected one column 'instances' after the first");
  EXPECT_TRUE(error(header).starts_with("plan.csv: no rows"));
  EXPECT_TRUE(error("").starts_with("plan.csv: no rows"));
}

TEST(MeasuredResult, RefusesWhatIsDamagedOrNotWhatTheRowAsksFor) {
  EXPECT_EQ(parse(alpha_result()).done, 10);
  const auto error = [](const char* key, const nlohmann::json& value) {
    nlohmann::json object = alpha_result();
    object[key] = value;
    return error_of([&] { parse(object); });
  };
  EXPECT_TRUE(error("steps", 50).starts_with("alpha.json: steps 50, the plan says 2000"));
  EXPECT_TRUE(error("augment", 1).starts_with("alpha.json: augment 1, the plan says 5"));
  EXPECT_TRUE(error("runs", 11).starts_with("alpha.json: instances or runs 11, the plan says 10"));
  EXPECT_TRUE(error("runs", 0).starts_with("alpha.json: instances or runs 0"));
  EXPECT_TRUE(error("file", "other.tsp").starts_with("alpha.json: measured on 'other.tsp'"));
  EXPECT_TRUE(error("interrupted", true).starts_with("alpha.json: an interrupted run"));
  EXPECT_TRUE(error("seconds", "soon").starts_with("alpha.json: not what 'neuopt eval --json' prints"));
  EXPECT_TRUE(error("seconds", 1e300).starts_with("alpha.json: not what 'neuopt eval --json' prints"));
  EXPECT_TRUE(error("steps", 1e300).starts_with("alpha.json: not what 'neuopt eval --json' prints: 'steps'"));
  EXPECT_TRUE(error("infeasible", -1).starts_with("alpha.json: not what 'neuopt eval --json' prints: 'infeasible'"));
  EXPECT_TRUE(error("labels", 3).starts_with("alpha.json: not what 'neuopt eval --json' prints"));
  nlohmann::json missing = alpha_result();
  missing.erase("device");
  EXPECT_TRUE(error_of([&] { parse(missing); }).starts_with("alpha.json: not what 'neuopt eval --json' prints"));
  const std::string whole = alpha_result().dump();
  for (const std::string& bytes : {std::string(), whole.substr(0, whole.size() / 2), std::string("[]")})
    EXPECT_TRUE(error_of([&] { parse_measured_result(bytes, "alpha.json", alpha_row()); }).starts_with("alpha.json: "))
        << bytes;
}

TEST(ResultTable, ShowsMeasuredAndMissingRowsAndTheMeanOfTheMeasured) {
  const ResultPlan plan = parse_result_plan(kPlan, "plan.csv");
  nlohmann::json second = alpha_result();
  second["file"] = "beta.tsp";
  second["runs"] = 3;
  second["infeasible"] = 1;
  second["gap_percent"] = 2.0;
  second["mean_cost"] = nullptr;
  second["seconds"] = 1.25;
  second["labels"] = {{"machine", "laptop"}, {"commit", "abc"}};
  const Results results{parse(alpha_result()), parse_measured_result(second.dump(), "b", plan.rows[1]), std::nullopt};
  EXPECT_EQ(
      result_table(plan, results,
                   {{"A", "T", "runs", "cost", "gap", "best", "others", "seconds", "device", "model", "commit"}, true}),
      "| instance | A | T | runs | mean cost | mean gap | best gap | paper mean | note | seconds | device | model | "
      "commit |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|---|\n"
      "| alpha | 5 | 2,000 | 10 | 1012.5 | 1.25 % | 0.00 % | 0.50 % | x | 1,235 | a\\|b | tsp 0123456789abcdef | – "
      "|\n"
      "| beta | 5 | 2,000 | 3 of 10 (1 infeasible) | – | 2.00 % | 0.00 % | 1.50 % | y | 1.2 | a\\|b; laptop | tsp "
      "0123456789abcdef | abc |\n"
      "| gamma | 5 | 2,000 | not yet measured |  |  |  | 4.00 % | z |  |  |  |  |\n"
      "| mean of the 2 measured |  |  |  |  | 1.62 % | 0.00 % | 1.00 % |  |  |  |  |  |\n");
}

TEST(ResultTable, OfNothingMeasuredHasTheOthersMeans) {
  const ResultPlan plan = parse_result_plan(kPlan, "plan.csv");
  const std::string table = result_table(plan, Results(3), {{"gap", "seconds"}, true});
  EXPECT_TRUE(table.ends_with("| mean of 3 |  |  | 2.00 % |  |\n")) << table;
  EXPECT_NE(table.find("| gamma | not yet measured |  | 4.00 % | z |\n"), table.npos) << table;
}

TEST(ResultTable, RefusesUnknownColumns) {
  const ResultPlan plan = parse_result_plan(kPlan, "plan.csv");
  EXPECT_TRUE(error_of([&] { result_table(plan, Results(3), {{"glamour"}, false}); }).starts_with("column 'glamour'"));
}

}  // namespace
}  // namespace neuopt::report
