// neuopt view: a local page that shows a search while it runs, or replays a recorded one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/stop_signal.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "core/file.h"
#include "io/instance_set.h"
#include "io/search_log.h"
#include "search/model_choice.h"
#include "viewer/server.h"

namespace neuopt::cli {
namespace {

constexpr std::size_t kMaxLog = std::size_t{256} << 20;  // a page has to hold it

struct ViewOptions {
  std::string file;
  int port = 0;
  viewer::SearchChoice search;
  FileOverrides overrides;
};

/// What is chosen in the page is read as it is, and a log says what was read.
void refuse_overrides(const FileOverrides& overrides, const std::string& given) {
  const char* option = overrides.rounding ? "--rounding" : overrides.vehicles > 0 ? "--vehicles" : nullptr;
  if (option != nullptr)
    throw InputError(fmt::format("{}: expected an instance that it is for, got {}", option, given));
}

int view(const ViewOptions& options) {
  if (!options.search.model.empty()) search::load_named_model(options.search.model);  // throws when it is none
  viewer::Session session(options.search);
  std::string log;
  if (options.file.empty()) {
    refuse_overrides(options.overrides, "no file");
  } else {
    std::string bytes = read_file(options.file, kMaxLog);
    if (looks_like_test_set(bytes))
      throw InputError(options.file, 0, "a set of instances, expected one .tsp, .vrp or .txt file or a search log");
    if (looks_like_search_log(bytes)) {
      refuse_overrides(options.overrides, "a search log");
      parse_search_log(bytes, options.file);  // throws when it is damaged
      log = std::move(bytes);
    } else {
      session.load(bytes, options.file, options.overrides);
    }
  }
  session.prepare();  // what is wrong with the device or the model is said here, before there is a page
  const std::atomic<bool>* stop = stop_on_signals();  // not before: what waits for its input just ends
  viewer::Server server(session, std::move(log), options.port);
  fmt::print("{}\n", server.url());
  flush_output();  // nobody could find the page without its URL
  server.serve(stop);
  return 0;
}

}  // namespace

void add_view(CLI::App& program, Job& job) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command = program.add_subcommand("view", "Watch a search in a browser, live or recorded");
  command->add_option("file", options->file,
                      "Instance (.tsp, .vrp, Solomon's .txt) or search log of 'solve --trace' [choose in the page]");
  command->add_option("--port", options->port, "Port on 127.0.0.1 [any that is free]")
      ->transform(whole_number(1, 65535));
  command->add_option("--model", options->search.model, "Model: a file, or the name of a bundled one [the nearest]")
      ->check(any_name);
  command->add_option("--device", options->search.device, "auto, cpu, cuda or reference [cpu]")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}));
  command->add_option("--threads", options->search.threads, "Threads; 0: all the machine offers [0]")
      ->transform(whole_number(0, kMostThreads));
  add_rounding_option(*command, options->overrides);
  add_vehicles_option(*command, options->overrides);
  command->footer(
      "Prints the page's URL on standard output and serves it until it is interrupted (Ctrl-C).\n"
      "A search log replays with its tours when it was made with 'solve --trace FILE --trace-tours'.");
  command->callback([options, &job] { job = [options] { return view(*options); }; });
}

}  // namespace neuopt::cli
