// neuopt-mpi: what neuopt becomes under mpirun; see ranks.h.
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace neuopt::cli;
  constexpr AddCommand commands[] = {add_solve, add_eval};
  return run_program(argc, argv, commands);
}
