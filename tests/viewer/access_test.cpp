#include "viewer/access.h"

#include <gtest/gtest.h>

namespace neuopt::viewer {
namespace {

TEST(Access, TokensAreLongAndDiffer) {
  const std::string first = make_token(), second = make_token();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(first, second);
}

TEST(Access, ComparesWholeTexts) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("\x01", "\x81"));
}

TEST(Access, OnlyPathsWithTheTokenLeadSomewhere) {
  EXPECT_EQ(path_behind_token("/secret/", "secret"), "");
  EXPECT_EQ(path_behind_token("/secret/app.js", "secret"), "app.js");
  for (const char* path : {"", "/", "/secret", "/secreT/", "/secretx/", "secret/", "//secret/", "/x/secret/"})
    EXPECT_EQ(path_behind_token(path, "secret"), std::nullopt) << path;
  EXPECT_EQ(path_behind_token("//", ""), std::nullopt) << "no token is no key";
}

TEST(Access, OnlyThisMachineIsMeant) {
  EXPECT_TRUE(host_is_ours("127.0.0.1:8080", 8080));
  EXPECT_TRUE(host_is_ours("localhost:8080", 8080));
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:80", "evil.example:8080", "127.0.0.1:8080.evil.example"})
    EXPECT_FALSE(host_is_ours(host, 8080)) << host;
}

TEST(Access, ClientsLeaveTheDefaultPortOut) {
  for (const std::string name : {"127.0.0.1", "localhost"}) {
    for (const std::string& host : {name, name + ":80"}) {
      EXPECT_TRUE(host_is_ours(host, 80)) << host;
      EXPECT_TRUE(origin_is_ours("http://" + host, 80)) << host;
    }
    EXPECT_FALSE(host_is_ours(name + ":8080", 80));
    EXPECT_FALSE(origin_is_ours("http://" + name, 8080));
  }
  for (const char* host : {"", "evil.example", "evil.example:80", "127.0.0.1:", "127.0.0.1.evil.example"})
    EXPECT_FALSE(host_is_ours(host, 80)) << host;
}

TEST(Access, OnlyOurPageMayAsk) {
  EXPECT_TRUE(origin_is_ours("", 8080));
  EXPECT_TRUE(origin_is_ours("http://127.0.0.1:8080", 8080));
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081"})
    EXPECT_FALSE(origin_is_ours(origin, 8080)) << origin;
}

TEST(Access, BodiesHaveAKnownLength) {
  EXPECT_EQ(body_length("", ""), 0u);
  EXPECT_EQ(body_length("10", ""), 10u);
  for (const char* length : {"-1", "ten", "99999999999999999999999", "1e3"})
    EXPECT_EQ(body_length(length, ""), std::nullopt) << length;
  EXPECT_EQ(body_length("", "chunked"), std::nullopt);
}

}  // namespace
}  // namespace neuopt::viewer
