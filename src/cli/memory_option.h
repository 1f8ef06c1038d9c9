// The option that says how much memory a command may take.
#pragma once

namespace CLI {
class App;
}

namespace neuopt::cli {

/// Adds --memory-limit, in bytes.
void add_memory_option(CLI::App& command, double& limit);

}  // namespace neuopt::cli
