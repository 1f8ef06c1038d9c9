#include "viewer/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"

namespace neuopt::viewer {
namespace {

/// A connection to a port of this machine.
class Client {
 public:
  Client() = default;
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    timeval patience{3, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Client& operator=(Client&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }

  void say(const std::string& bytes) const { (void)!send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

  /// What comes within two seconds.
  std::string answer() const {
    std::string bytes;
    char buffer[4096];
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
      const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      bytes.append(buffer, static_cast<std::size_t>(count));
    }
    return bytes;
  }

 private:
  int socket_ = -1;
};

/// A server in a thread of its own, and requests to it byte by byte, as a browser would never send them.
class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      server_.emplace(session_, "{\"type\":\"header\"}\n", 0);
    } catch (const ResourceError& error) {
      GTEST_SKIP() << error.what();
    }
    const std::string url = server_->url();
    const std::size_t colon = url.rfind(':'), slash = url.find('/', colon);
    port_ = std::stoi(url.substr(colon + 1, slash - colon - 1));
    token_ = url.substr(slash, url.size() - slash);  // "/TOKEN/"
    thread_ = std::thread([this] { server_->serve(&never_); });
  }

  void TearDown() override {
    if (server_) server_->stop();
    if (thread_.joinable()) thread_.join();
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  std::string talk(const std::string& bytes) const {
    const Client client(port_);
    client.say(bytes);
    return client.answer();
  }

  std::string get(const std::string& path, const std::string& headers = "") const {
    return talk("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "Connection: close\r\n\r\n");
  }

  std::string post(const std::string& path, const std::string& body, const std::string& headers = "") const {
    return talk("POST " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
  }

  static int status(const std::string& answer) { return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0; }

  Session session_{SearchChoice{}};
  std::optional<Server> server_;
  std::thread thread_;
  const std::atomic<bool> never_{false};
  int port_ = 0;
  std::string token_;
};

TEST_F(ServerTest, ServesThePageWithStrictHeaders) {
  const std::string page = get(token_);
  EXPECT_EQ(status(page), 200) << page;
  EXPECT_NE(page.find("<title>neuopt viewer</title>"), std::string::npos);
  EXPECT_NE(page.find("script-src 'self'"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("nosniff"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(page.find("Access-Control-Allow"), std::string::npos);
  EXPECT_EQ(status(get(token_ + "app.js")), 200);
  EXPECT_EQ(status(get(token_ + "log")), 200);
}

TEST_F(ServerTest, SharesItsPortWithNoOther) { EXPECT_THROW(Server(session_, "{}\n", port_), ResourceError); }

TEST_F(ServerTest, RefusesWithoutTheToken) {
  EXPECT_EQ(status(get("/")), 403);
  EXPECT_EQ(status(get("/app.js")), 403);
  std::string wrong = token_;
  wrong[1] = wrong[1] == 'a' ? 'b' : 'a';
  EXPECT_EQ(status(get(wrong)), 403);
  EXPECT_EQ(status(post(wrong + "generate", R"({"problem":"tsp","size":5})")), 403);
  EXPECT_FALSE(session_.instance_file()) << "a refused request did something";
}

TEST_F(ServerTest, RefusesOtherHostsAndOrigins) {
  EXPECT_EQ(status(talk("GET " + token_ + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")), 421);
  EXPECT_EQ(status(talk("GET " + token_ + " HTTP/1.1\r\nConnection: close\r\n\r\n")), 421);
  const std::string wish = R"({"problem":"tsp","size":5})";
  EXPECT_EQ(status(post(token_ + "generate", wish, "Origin: http://evil.example\r\n")), 403);
  EXPECT_FALSE(session_.instance_file());
  EXPECT_EQ(status(post(token_ + "generate", wish, "Origin: http://" + host() + "\r\n")), 200);
  EXPECT_TRUE(session_.instance_file());
}

TEST_F(ServerTest, OffersExamplesAndColours) {
  EXPECT_NE(get(token_ + "palette").find(R"("light":["#)"), std::string::npos);
  EXPECT_NE(get(token_ + "example-picture/tsp100").find("<svg "), std::string::npos);
  EXPECT_EQ(status(post(token_ + "example", R"({"name":"cvrp100"})")), 200);
  EXPECT_TRUE(session_.instance_file());
  EXPECT_EQ(status(post(token_ + "example", R"({"name":"nope"})")), 400);
}

TEST_F(ServerTest, NothingBecomesAPath) {
  for (const char* name : {"../CMakeLists.txt", "..%2f..%2fetc%2fpasswd", "%2e%2e/app.js", "test/package.json", "nope",
                           "example-picture/nope", "example-picture/../app"})
    EXPECT_EQ(status(get(token_ + name)), 404) << name;
  EXPECT_EQ(status(talk("DELETE " + token_ + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n\r\n")), 405);
}

TEST_F(ServerTest, BadRequestsAreAnsweredInWords) {
  const std::string answer = post(token_ + "instance", "DIMENSION : many\n");
  EXPECT_EQ(status(answer), 400);
  EXPECT_NE(answer.find(R"({"error":"file:)"), std::string::npos) << answer;
  const std::string named = post(token_ + "instance?name=my%20city.vrp%0a", "DIMENSION : many\n");
  EXPECT_NE(named.find(R"({"error":"my city.vrp?:)"), std::string::npos) << named;
  EXPECT_EQ(status(post(token_ + "start", "{}")), 400);
  EXPECT_EQ(status(post(token_ + "nothing", "{}")), 404);
  EXPECT_EQ(status(get(token_ + "solution")), 404);
}

TEST_F(ServerTest, LimitsTheSizeOfARequest) {
  const std::string head =
      "POST " + token_ + "instance HTTP/1.1\r\nHost: " + host() + "\r\nContent-Length: 1000000000\r\n\r\n";
  EXPECT_EQ(status(talk(head)), 413);
  EXPECT_EQ(status(get(token_ + std::string(10000, 'a'))), 414);
}

TEST_F(ServerTest, LengthsThatAreNotKnownAreNotCalledTooLarge) {
  for (const char* header : {"Transfer-Encoding: chunked", "Content-Length: ten", "Content-Length: -1"})
    EXPECT_EQ(status(talk("POST " + token_ + "start HTTP/1.1\r\nHost: " + host() + "\r\n" + header + "\r\n\r\n")), 411);
}

TEST_F(ServerTest, LimitsTheHeadersOfARequest) {
  std::string head = "GET " + token_ + " HTTP/1.1\r\nHost: " + host() + "\r\n";
  for (int i = 0; i < 30'000; ++i) head += "a: b\r\n";
  EXPECT_EQ(status(talk(head)), 400);
}

TEST_F(ServerTest, AClientThatDoesNotComeToItsEndIsNotWaitedFor) {
  const auto begin = std::chrono::steady_clock::now();
  const Client slow(port_);
  slow.say("GET " + token_ + " HTTP/1.1\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  server_->stop();
  thread_.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
}

TEST_F(ServerTest, ManyWhoSaySoLittleDoNotKeepOthersWaitingForLong) {
  std::vector<Client> slow;
  for (int i = 0; i < 70; ++i) slow.emplace_back(port_).say("GET ");
  EXPECT_EQ(status(get(token_)), 200);
  EXPECT_EQ(slow.front().answer(), "") << "its time is over";
}

TEST_F(ServerTest, StreamsEventsToAFewPages) {
  const std::string request = "GET " + token_ + "events HTTP/1.1\r\nHost: " + host() + "\r\n\r\n";
  const std::string first = talk(request);
  EXPECT_EQ(status(first), 200);
  EXPECT_NE(first.find("text/event-stream"), std::string::npos);
  EXPECT_NE(first.find(R"("phase":"empty")"), std::string::npos) << first;
  std::vector<std::thread> pages;
  std::atomic<int> served{0}, refused{0};
  for (int i = 0; i < 12; ++i)
    pages.emplace_back([&] {
      const int code = status(talk(request));
      served += code == 200;
      refused += code == 503;
    });
  for (std::thread& page : pages) page.join();
  EXPECT_GT(served, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(served + refused, 12);
}

}  // namespace
}  // namespace neuopt::viewer
