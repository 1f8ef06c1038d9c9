#include "viewer/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "io/palette.h"
#include "io/solution_svg.h"
#include "viewer/access.h"
#include "viewer/assets.h"
#include "viewer/examples.h"
#include "viewer/guarded_server.h"

namespace neuopt::viewer {
namespace {

constexpr int kThreads = 64;             // requests at a time, the event streams among them
constexpr std::size_t kMaxWaiting = 64;  // connections that wait for a thread; others stay with the system
constexpr int kMaxStreams = 8;
constexpr int kPaletteColours = 256;
constexpr std::size_t kMaxFileName = 200;  // bytes of it in messages
constexpr std::string_view kExamplePicture = "example-picture/";
constexpr auto kStreamPatience = std::chrono::milliseconds(1000);

/// Threads for requests. Connections beyond the limit hold back the next one instead of piling up.
class BoundedPool final : public httplib::TaskQueue {
 public:
  /// Nothing or whether it was taken, as the library's version has it.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));

  Taken enqueue(std::function<void()> task) override {
    while (waiting_ >= kMaxWaiting && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++waiting_;
    return pool_.enqueue([this, task = std::move(task)] {
      --waiting_;
      task();
    });
  }
  void shutdown() override {
    ended_ = true;
    pool_.shutdown();
  }

 private:
  httplib::ThreadPool pool_{kThreads};
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> ended_{false};
};

void answer_error(httplib::Response& response, int status, std::string_view message) {
  response.status = status;
  const nlohmann::json object = {{"error", printable_text(message)}};
  response.set_content(object.dump(), "application/json");
}

void answer_done(httplib::Response& response) { response.set_content("{}", "application/json"); }

const char* refusal(int status) {
  switch (status) {
    case 405:
      return "expected GET or POST";
    case 411:
      return "expected a body of known length";
    case 413:
      return "the file is too large";
    case 421:
      return "not a name of this viewer";
    default:
      return "refused: use the URL that was printed";
  }
}

/// The colours of the pictures, for pages to draw with: {"light": ["#rrggbb", ...], "dark": [...]}.
std::string palette_json() {
  nlohmann::json object;
  for (int i = 0; i < kPaletteColours; ++i) {
    object["light"].push_back(distinct_colour(i, false));
    object["dark"].push_back(distinct_colour(i, true));
  }
  return object.dump();
}

/// The headers of every answer: scripts and styles from here alone, no frames, no guessing, nothing kept.
httplib::Headers safe_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

struct Server::Implementation {
  Implementation(Session& the_session, std::string the_log) : session(the_session), log(std::move(the_log)) {}

  Session& session;
  std::string log;
  std::string token = make_token();
  GuardedServer http;
  int port = 0;
  std::atomic<int> streams{0};
  std::atomic<bool> closing{false};

  using Request = httplib::Request;
  using Response = httplib::Response;

  /// What lies behind the token; only called for requests that have passed `refuse`.
  std::string target(const Request& request) const { return path_behind_token(request.path, token).value_or(""); }

  /// Refuses what does not come from our own page. True when it did.
  bool refuse(const Request& request, Response& response) const {
    int status = 0;
    if (!host_is_ours(request.get_header_value("Host"), port))
      status = 421;
    else if (!path_behind_token(request.path, token) || !origin_is_ours(request.get_header_value("Origin"), port))
      status = 403;
    else if (request.method != "GET" && request.method != "POST" && request.method != "HEAD")
      status = 405;
    else if (const auto length =
                 body_length(request.get_header_value("Content-Length"), request.get_header_value("Transfer-Encoding"));
             !length || *length > kMaxBody)
      status = length ? 413 : 411;
    if (status == 0) return false;
    answer_error(response, status, refusal(status));
    return true;
  }

  void send(const std::optional<Download>& download, Response& response) {
    if (!download) return answer_error(response, 404, "there is none yet");
    response.set_header("Content-Disposition", "attachment; filename=\"" + download->name + "\"");
    response.set_content(download->bytes, download->type);
  }

  void send_example(const std::string& name, Response& response) {
    const std::optional<Example> example = find_example(name);
    if (!example) return answer_error(response, 404, "no such example");
    response.set_content(draw_picture(example->instance, &example->best), "image/svg+xml");
  }

  /// What messages call the file that was sent.
  static std::string file_name(const Request& request) {
    const std::string name = printable_text(request.get_param_value("name").substr(0, kMaxFileName));
    return name.empty() ? "file" : name;
  }

  void get(const Request& request, Response& response) {
    const std::string name = target(request);
    if (name == "events") return stream(response);
    if (name == "solution") return send(session.solution_file(), response);
    if (name == "picture") return send(session.picture(), response);
    if (name == "instance-file") return send(session.instance_file(), response);
    if (name == "palette") return response.set_content(palette_json(), "application/json");
    if (name.starts_with(kExamplePicture)) return send_example(name.substr(kExamplePicture.size()), response);
    if (name == "log" && log.empty()) return static_cast<void>(response.status = 204);
    if (name == "log") return response.set_content(log, "application/x-ndjson");
    const Asset* asset = find_asset(name.empty() ? "index.html" : name);
    if (asset == nullptr) return answer_error(response, 404, "no such page");
    response.set_content(asset->bytes.data(), asset->bytes.size(), std::string(content_type(asset->name)));
  }

  void post(const Request& request, Response& response) {
    const std::string name = target(request);
    if (name == "instance")
      session.load(request.body, file_name(request));
    else if (name == "example")
      session.load_example(parse_example(request.body));
    else if (name == "generate")
      session.generate(parse_generate(request.body));
    else if (name == "start")
      session.start(parse_start(request.body));
    else if (name == "control")
      session.control(parse_control(request.body));
    else
      return answer_error(response, 404, "no such request");
    answer_done(response);
  }

  /// One page's stream of events. Its thread writes the text; the search only pins frames to the board.
  void stream(Response& response) {
    if (++streams > kMaxStreams) {
      --streams;
      return answer_error(response, 503, "too many pages are open");
    }
    auto cursor = std::make_shared<Cursor>();
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, cursor](std::size_t, httplib::DataSink& sink) {
          std::string text = session.board().news(*cursor, kStreamPatience);
          if (closing || !sink.is_writable()) return false;
          if (text.empty()) text = ": still here\n\n";
          return sink.write(text.data(), text.size());
        },
        [this](bool) { --streams; });
  }

  void set_up() {
    http.new_task_queue = [] { return new BoundedPool; };
    http.set_payload_max_length(kMaxBody);
    http.set_tcp_nodelay(true);
    http.set_default_headers(safe_headers());
    http.set_pre_routing_handler([this](const Request& request, Response& response) {
      using Handled = httplib::Server::HandlerResponse;
      return refuse(request, response) ? Handled::Handled : Handled::Unhandled;
    });
    http.set_exception_handler([](const Request&, Response& response, const std::exception_ptr& thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const InputError& error) {
        answer_error(response, 400, error.what());
      } catch (const std::exception& error) {
        answer_error(response, 500, error.what());
      }
    });
    http.Get("/.*", [this](const Request& request, Response& response) { get(request, response); });
    http.Post("/.*", [this](const Request& request, Response& response) { post(request, response); });
  }
};

Server::Server(Session& session, std::string log, int port)
    : implementation_(std::make_unique<Implementation>(session, std::move(log))) {
  implementation_->set_up();
  httplib::Server& http = implementation_->http;
  http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));  // a port that is taken is not to be shared
  });
  const int bound = port == 0 ? http.bind_to_any_port("127.0.0.1") : http.bind_to_port("127.0.0.1", port) ? port : -1;
  if (bound < 0) throw ResourceError(fmt::format("cannot listen on 127.0.0.1:{}", port));
  implementation_->port = bound;
}

Server::~Server() = default;

std::string Server::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", implementation_->port, implementation_->token);
}

void Server::stop() { implementation_->closing = true; }

void Server::serve(const std::atomic<bool>* stop) {
  Implementation& server = *implementation_;
  std::atomic<bool> ended{false};
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  std::thread watch([&] {
    while (!*stop && !server.closing && !ended) rest();
    server.closing = true;
    server.session.board().close();
    while (!server.http.is_running() && !ended) rest();  // a server that has not begun yet cannot be stopped
    if (!ended) server.http.stop();
    server.http.hang_up();
  });
  const bool well = server.http.listen_after_bind();
  ended = true;
  const bool wanted = server.closing;
  watch.join();
  if (!well && !wanted) throw ResourceError("the viewer's server failed");
}

}  // namespace neuopt::viewer
