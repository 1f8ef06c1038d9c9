// Takes the place of server.cpp in builds without cpp-httplib.
#include "core/error.h"
#include "viewer/server.h"

namespace neuopt::viewer {

struct Server::Implementation {};

Server::Server(Session&, std::string, int) {
  throw ResourceError(
      "this build has no viewer: install cpp-httplib (Debian: libcpp-httplib-dev and pkg-config) and build again");
}

Server::~Server() = default;
std::string Server::url() const { return ""; }
void Server::serve(const std::atomic<bool>*) {}
void Server::stop() {}

}  // namespace neuopt::viewer
