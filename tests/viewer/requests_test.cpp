#include "viewer/requests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "problem/instance.h"
#include "viewer/assets.h"

namespace neuopt::viewer {
namespace {

TEST(Page, OffersEveryProblem) {
  const Asset* page = find_asset("index.html");
  ASSERT_NE(page, nullptr);
  for (const ProblemKind kind : kProblemKinds)
    EXPECT_NE(page->bytes.find(fmt::format("<option value=\"{}\">", problem_name(kind))), std::string_view::npos);
}

TEST(Requests, Generate) {
  const GenerateRequest request = parse_generate(R"({"problem":"cvrp","size":20,"seed":7})");
  EXPECT_EQ(request.kind, ProblemKind::cvrp);
  EXPECT_EQ(request.size, 20);
  EXPECT_EQ(request.seed, 7u);
  for (const char* wrong :
       {"", "[]", "{", R"({"problem":"vrp","size":20})", R"({"problem":"tsp"})", R"({"problem":"tsp","size":"20"})",
        R"({"problem":"tsp","size":1})", R"({"problem":"tsp","size":5000})", R"({"problem":"tsp","size":20.5})",
        R"({"problem":"tsp","size":20,"seed":-1})", R"({"problem":"tsp","size":20,"seed":1e30})",
        R"({"problem":"tsp","size":99999999999999999999})"})
    EXPECT_THROW(parse_generate(wrong), InputError) << wrong;
}

TEST(Requests, Start) {
  const StartRequest usual = parse_start("{}");
  EXPECT_EQ(usual.steps, 1000);
  EXPECT_EQ(usual.copies, 1);
  EXPECT_FALSE(usual.paused);
  EXPECT_EQ(usual.start, search::StartKind::random);
  EXPECT_EQ(parse_start(R"({"start":"auto"})").start, search::StartKind::automatic);
  const StartRequest request = parse_start(R"({"steps":5,"copies":3,"seed":9,"speed":2.5,"paused":true})");
  EXPECT_EQ(request.steps, 5);
  EXPECT_EQ(request.copies, 3);
  EXPECT_EQ(request.seed, 9u);
  EXPECT_EQ(request.speed, 2.5);
  EXPECT_TRUE(request.paused);
  for (const char* wrong :
       {R"({"steps":0})", R"({"steps":null})", R"({"copies":257})", R"({"speed":-1})", R"({"speed":1e-300})",
        R"({"speed":"fast"})", R"({"paused":1})", R"({"speed":1e400})", R"({"start":"warm"})", R"({"start":1})"})
    EXPECT_THROW(parse_start(wrong), InputError) << wrong;
}

TEST(Requests, Control) {
  using Action = ControlRequest::Action;
  EXPECT_EQ(parse_control(R"({"action":"pause"})").action, Action::pause);
  EXPECT_EQ(parse_control(R"({"action":"resume"})").action, Action::resume);
  EXPECT_EQ(parse_control(R"({"action":"step"})").action, Action::step);
  EXPECT_EQ(parse_control(R"({"action":"stop"})").action, Action::stop);
  EXPECT_EQ(parse_control(R"({"speed":20})").action, Action::none);
  EXPECT_EQ(parse_control(R"({"speed":20})").speed, 20);
  EXPECT_THROW(parse_control(R"({"action":"format"})"), InputError);
  EXPECT_THROW(parse_control(R"({"action":3})"), InputError);
}

TEST(Requests, NeitherLongNorDeepOnesAreParsed) {
  EXPECT_THROW(parse_start("{\"x\":\"" + std::string(5000, 'x') + "\"}"), InputError);
  EXPECT_THROW(parse_start("{\"x\":" + std::string(1000, '[') + std::string(1000, ']') + "}"), InputError);
}

}  // namespace
}  // namespace neuopt::viewer
