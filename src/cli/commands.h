// The subcommands of the program. To add one: a file of its own with its add_NAME, a declaration
// here and an entry in programs/neuopt.cpp.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace neuopt::cli {

/// What the program does once its command line is understood; returns the exit code: 0 done, 1 the answer is no.
/// Errors are thrown and become exit codes in run_program.
using Job = std::function<int()>;

/// Adds a subcommand with its options to the program. When it is the one chosen, its callback sets `job`.
using AddCommand = void (*)(CLI::App& program, Job& job);

void add_bench(CLI::App& program, Job& job);
void add_check(CLI::App& program, Job& job);
void add_draw(CLI::App& program, Job& job);
void add_eval(CLI::App& program, Job& job);
void add_generate(CLI::App& program, Job& job);
void add_import(CLI::App& program, Job& job);
void add_info(CLI::App& program, Job& job);
void add_plot(CLI::App& program, Job& job);
void add_solve(CLI::App& program, Job& job);
void add_start(CLI::App& program, Job& job);
void add_table(CLI::App& program, Job& job);
void add_train(CLI::App& program, Job& job);
void add_verify(CLI::App& program, Job& job);
void add_view(CLI::App& program, Job& job);

}  // namespace neuopt::cli
