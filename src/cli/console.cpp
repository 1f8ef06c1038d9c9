#include "cli/console.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace neuopt::cli {

WarningSink warn_on_stderr() {
  return [](const std::string& warning) { fmt::print(stderr, "neuopt: warning: {}\n", warning); };
}

void print_json(const nlohmann::ordered_json& object) {
  using Json = nlohmann::ordered_json;
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace neuopt::cli
