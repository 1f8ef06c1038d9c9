// neuopt: all subcommands; those that need LibTorch or MPI become another program.
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace neuopt::cli;
  constexpr AddCommand commands[] = {
      add_solve, add_eval,  add_generate, add_start,  add_verify, add_draw,  add_view,
      add_plot,  add_table, add_info,     add_import, add_check,  add_bench, add_train,
  };
  return run_program(argc, argv, commands);
}
