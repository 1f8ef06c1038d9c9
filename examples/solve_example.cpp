// The library from C++: reads an instance, solves it while reporting what happens, and prints the routes.
// Usage: solve_example FILE.tsp|.vrp [MODEL.safetensors]
#include <cstdio>
#include <exception>
#include <string>

#include "neuopt.h"

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: solve_example FILE.tsp|.vrp [MODEL.safetensors]\n");
    return 2;
  }
  const auto say = [](const std::string& note) { std::fprintf(stderr, "note: %s\n", note.c_str()); };
  const neuopt::Instance instance = neuopt::read_instance_file(argv[1], say);

  neuopt::Solver solver({.model = argc == 3 ? argv[2] : "", .note = say});

  neuopt::SolveOptions options;
  options.copies = 4;
  options.steps = 500;
  options.seed = 7;

  neuopt::SolveCallbacks callbacks;
  callbacks.note = say;
  callbacks.incumbent = [](int, double cost, const neuopt::Solution& solution) {
    std::fprintf(stderr, "found %.4f, %zu routes\n", cost, solution.routes.size());
  };
  callbacks.progress = [](const neuopt::Progress& progress) {
    std::fprintf(stderr, "step %ld: %.4f after %.1f s\n", progress.step, progress.best_cost, progress.seconds);
  };

  const neuopt::SolveResult result = solver.solve(instance, options, callbacks);

  std::printf("cost %.6g by %s on %s\n", result.cost, result.model.c_str(), result.device.c_str());
  for (const auto& route : neuopt::numbered_routes(instance, result.solution)) {
    for (const int node : route) std::printf("%d ", node);
    std::printf("\n");
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "solve_example: %s\n", error.what());
  return 1;
}
