#include "viewer/guarded_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "viewer/requests.h"

namespace neuopt::viewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxHead = std::size_t{64} << 10;  // bytes of the request's line and headers
constexpr std::chrono::seconds kHeadTime{2};             // in which these must come: the client is on this machine
constexpr std::chrono::seconds kBodyTime{30};
constexpr std::chrono::seconds kWriteTime{5};            // until some bytes more can be written
constexpr std::chrono::milliseconds kFarewellTime{300};  // in which the client may read the answer to the end

/// Whether a socket is ready for the events before a point in time.
bool ready(socket_t socket, short events, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  pollfd wait{.fd = socket, .events = events, .revents = 0};
  return poll(&wait, 1, static_cast<int>(std::max<long>(0, left.count()))) > 0;
}

/// Tells where the head of a request ends: behind its first empty line.
class HeadEnd {
 public:
  bool passed() const { return matched_ == kEnd.size(); }

  void look_at(std::string_view bytes) {
    for (const char byte : bytes) {
      if (passed()) return;
      matched_ = byte == kEnd[matched_] ? matched_ + 1 : byte == '\r' ? 1 : 0;
    }
  }

 private:
  static constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t matched_ = 0;
};

/// The bytes of one request and its answer.
class Connection final : public httplib::Stream {
 public:
  explicit Connection(socket_t socket) : socket_(socket) {}

  bool is_readable() const override { return !unread_.empty() || ready(socket_, POLLIN, Clock::now()); }

  /// False, too, when the client is gone.
  bool is_writable() const override {
    if (!ready(socket_, POLLOUT, Clock::now() + kWriteTime)) return false;
    char byte = 0;
    return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
  }

  ssize_t read(char* to, std::size_t size) override {
    if (unread_.empty() && !receive()) return -1;
    const std::size_t count = std::min(size, unread_.size());
    std::copy_n(unread_.begin(), count, to);
    unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

  /// All or nothing.
  ssize_t write(const char* from, std::size_t size) override {
    for (std::size_t done = 0; done < size;) {
      const ssize_t count = is_writable() ? send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
      if (count < 0) return -1;
      done += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return socket_; }

 private:
  /// False at the end, when the time is over, and when the head is too long.
  bool receive() {
    const bool body = head_.passed();
    if (!body && received_ >= kMaxHead) return false;
    if (!ready(socket_, POLLIN, begin_ + (body ? kBodyTime : kHeadTime))) return false;
    const ssize_t count = recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (count <= 0) return false;
    unread_ = {buffer_.data(), static_cast<std::size_t>(count)};
    received_ += unread_.size();
    head_.look_at(unread_);
    return true;
  }

  socket_t socket_;
  Clock::time_point begin_ = Clock::now();
  std::array<char, 16384> buffer_{};
  std::string_view unread_;
  std::size_t received_ = 0;
  HeadEnd head_;
};

/// A socket that is closed with unread bytes takes back what was written, so what still comes is read for a moment.
void close_gently(socket_t socket) {
  const Clock::time_point end = Clock::now() + kFarewellTime;
  shutdown(socket, SHUT_WR);
  std::array<char, 16384> dropped;
  for (std::size_t most = kMaxBody; most > 0 && ready(socket, POLLIN, end);) {
    const ssize_t count = recv(socket, dropped.data(), std::min(most, dropped.size()), 0);
    if (count <= 0) break;
    most -= static_cast<std::size_t>(count);
  }
  close(socket);
}

}  // namespace

bool GuardedServer::enter(socket_t socket) {
  const std::lock_guard lock(mutex_);
  if (!hung_up_) open_.insert(socket);
  return !hung_up_;
}

/// Its number may be another connection's as soon as it is closed.
void GuardedServer::leave(socket_t socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

bool GuardedServer::process_and_close_socket(socket_t socket) {
  if (!enter(socket)) return close(socket) == 0;
  Connection connection(socket);
  bool closed = false;
  const bool well = process_request(connection, /*close_connection=*/true, closed, nullptr);
  leave(socket);
  close_gently(socket);
  return well;
}

void GuardedServer::hang_up() {
  const std::lock_guard lock(mutex_);
  hung_up_ = true;
  for (const socket_t socket : open_) shutdown(socket, SHUT_RDWR);
}

}  // namespace neuopt::viewer
