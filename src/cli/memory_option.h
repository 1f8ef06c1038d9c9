// The option that says how much memory a command may take.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace neuopt::cli {

/// Adds --memory-limit, in bytes, with the words for what it bounds.
void add_memory_option(CLI::App& command, double& limit, const std::string& what);

}  // namespace neuopt::cli
