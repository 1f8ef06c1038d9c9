#include "viewer/board.h"

#include <gtest/gtest.h>

#include <string>

#include "support/text.h"

namespace neuopt::viewer {
namespace {

using std::chrono::milliseconds;
using test::has;

TEST(Board, ANewPageGetsTheState) {
  Board board;
  Cursor cursor;
  EXPECT_TRUE(has(board.news(cursor, milliseconds(0)), R"("phase":"empty")"));
  EXPECT_EQ(board.news(cursor, milliseconds(0)), "") << "nothing new";
}

TEST(Board, PagesGetWhatIsNewToThem) {
  Board board;
  board.show_instance(R"({"name":"a"})");
  board.begin_run(R"({"steps":3})");
  Cursor early;
  const std::string first = board.news(early, milliseconds(0));
  EXPECT_TRUE(has(first, "event: instance\ndata: {\"name\":\"a\"}\n\n"));
  EXPECT_TRUE(has(first, "event: run\n"));
  board.show_frame({}, {{1, 5.5, 5.5, true}}, {0, 2, 1});
  const std::string second = board.news(early, milliseconds(0));
  EXPECT_FALSE(has(second, "event: instance"));
  EXPECT_TRUE(has(second, R"("visits":[[1,5.5,5.5,1]])"));
  EXPECT_TRUE(has(second, R"("best":[0,2,1])"));
  board.show_frame({}, {{2, 6, 5.5, false}}, {});
  const std::string third = board.news(early, milliseconds(0));
  EXPECT_TRUE(has(third, R"("visits":[[2,6,5.5,0]],"whole":false)"));
  EXPECT_FALSE(has(third, R"("best":[)"));
  Cursor late;
  const std::string all = board.news(late, milliseconds(0));
  EXPECT_TRUE(has(all, R"("visits":[[1,5.5,5.5,1],[2,6,5.5,0]],"whole":true)"));
  EXPECT_TRUE(has(all, R"("best":[0,2,1])"));
}

TEST(Board, LongSearchesAreThinnedOut) {
  Board board;
  board.show_instance("{}");
  board.begin_run("{}");
  for (long step = 1; step <= 100'000; ++step) board.show_frame({}, {{step, 1, 1, true}}, {});
  Cursor cursor;
  const std::string text = board.news(cursor, milliseconds(0));
  EXPECT_LT(text.size(), 200'000u);
  EXPECT_TRUE(has(text, "[99984,")) << "the last ones are still there";
}

TEST(Board, ANewInstanceTakesTheSearchDown) {
  Board board;
  board.show_instance("{}");
  board.begin_run("{}");
  board.show_frame({}, {}, {0, 1});
  board.show_instance("{}");
  Cursor cursor;
  const std::string text = board.news(cursor, milliseconds(0));
  EXPECT_FALSE(has(text, "event: frame"));
  EXPECT_TRUE(has(text, R"("phase":"ready")"));
  EXPECT_TRUE(board.best_tour().empty());
}

TEST(Board, RegionsComeWhenTheyChangeAndGoWithTheSearch) {
  Board board;
  board.show_instance("{}");
  board.begin_run("{}");
  Cursor page;
  EXPECT_TRUE(has(board.news(page, milliseconds(0)), "event: regions\ndata: []\n\n"));
  board.show_regions({{0, 2, 1}, {3}});
  EXPECT_TRUE(has(board.news(page, milliseconds(0)), "event: regions\ndata: [[0,2,1],[3]]\n\n"));
  board.show_frame({}, {}, {});
  EXPECT_FALSE(has(board.news(page, milliseconds(0)), "event: regions")) << "nothing new about them";
  Cursor late;
  EXPECT_TRUE(has(board.news(late, milliseconds(0)), "[[0,2,1],[3]]"));
  board.begin_run("{}");
  EXPECT_TRUE(has(board.news(page, milliseconds(0)), "event: regions\ndata: []\n\n"));
}

TEST(Board, EveryPageLearnsTheSpeed) {
  Board board;
  board.show_speed(20);
  Cursor cursor;
  EXPECT_TRUE(has(board.news(cursor, milliseconds(0)), R"("speed":20,)"));
  board.show_speed(0);
  EXPECT_TRUE(has(board.news(cursor, milliseconds(0)), R"("speed":0,)"));
}

TEST(Board, PhasesChangeOnlyFromWhereTheyAre) {
  Board board;
  board.begin_run("{}");
  EXPECT_TRUE(board.change_phase("running", "paused"));
  EXPECT_FALSE(board.change_phase("running", "done"));
}

}  // namespace
}  // namespace neuopt::viewer
