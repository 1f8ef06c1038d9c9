// The viewer's web server: the pages, the events and the requests of one session, for this machine alone.
//
//   GET  /TOKEN/            the page, and its scripts and styles by name
//   GET  /TOKEN/events      server-sent events (viewer/board.h)
//   GET  /TOKEN/log         the recorded search to replay, when the viewer was given one
//   GET  /TOKEN/solution, /TOKEN/picture, /TOKEN/instance-file      downloads
//   GET  /TOKEN/palette     the colours of routes
//   GET  /TOKEN/example-picture/NAME                                an example with its best known solution, as SVG
//   POST /TOKEN/instance    a .tsp or .vrp file as the body; ?name= what messages call it
//   POST /TOKEN/example, /TOKEN/generate, /TOKEN/start, /TOKEN/control      JSON (viewer/requests.h)
//
// An answer that is no is {"error": "..."}. Nothing of a request becomes a path or a command.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "viewer/session.h"

namespace neuopt::viewer {

class Server {
 public:
  /// Binds to 127.0.0.1. Port 0: any that is free. `log` is the text of a recorded search, "" for none. Throws
  /// ResourceError when the port is taken or this build has no server.
  Server(Session& session, std::string log, int port);
  ~Server();

  /// "http://127.0.0.1:PORT/TOKEN/"
  std::string url() const;
  /// Answers requests until `*stop` becomes true (a signal) or another thread calls stop().
  void serve(const std::atomic<bool>* stop);
  void stop();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace neuopt::viewer
