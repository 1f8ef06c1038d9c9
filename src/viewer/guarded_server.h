// cpp-httplib's server with bounds that it lacks: how long a client may take to ask, how many bytes a head may have,
// and an end of all connections when the program is to end. A connection carries one request.
#pragma once

#include <httplib.h>

#include <mutex>
#include <set>

namespace neuopt::viewer {

class GuardedServer final : public httplib::Server {
 public:
  /// Ends the connections that there are, whatever they are at, and all that come.
  void hang_up();

 private:
  bool process_and_close_socket(socket_t socket) override;
  bool enter(socket_t socket);
  void leave(socket_t socket);

  std::mutex mutex_;
  std::set<socket_t> open_;
  bool hung_up_ = false;
};

}  // namespace neuopt::viewer
