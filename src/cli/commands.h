// The subcommands of the program. To add one: a file of its own with its add_NAME, a declaration and an entry here.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace neuopt::cli {

/// What the program does once its command line is understood; returns the exit code: 0 done, 1 the answer is no.
/// Errors are thrown and become exit codes in main.
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

/// In the order of the help text.
#if defined(NEUOPT_TRAINER_PROGRAM)
inline constexpr AddCommand kCommands[] = {add_train, add_bench, add_check};
#elif defined(NEUOPT_MPI_PROGRAM)
inline constexpr AddCommand kCommands[] = {add_solve, add_eval};
#else
inline constexpr AddCommand kCommands[] = {
    add_solve, add_eval,  add_generate, add_start,  add_verify, add_draw,  add_view,
    add_plot,  add_table, add_info,     add_import, add_check,  add_bench, add_train,
};
#endif

}  // namespace neuopt::cli
