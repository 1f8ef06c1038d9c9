#include "viewer/examples.h"

#include <string>

#include "io/solution_file.h"
#include "io/tsplib.h"
#include "problem/problem_kind.h"
#include "viewer/assets.h"

namespace neuopt::viewer {

std::optional<Example> find_example(std::string_view name) {
  for (const ProblemKind kind : kProblemKinds) {
    const std::string instance_name = std::string(name) + traits(kind).instance_ending;
    const std::string solution_name = std::string(name) + traits(kind).solution_ending;
    const Asset *instance = find_asset(instance_name), *solution = find_asset(solution_name);
    if (instance == nullptr || solution == nullptr) continue;
    Example example{.instance = parse_instance(instance->bytes, instance_name), .best = {}};
    example.best = parse_solution(solution->bytes, solution_name, example.instance).solution;
    example.instance.reference_cost = solution_cost(example.instance, example.best);
    return example;
  }
  return std::nullopt;
}

}  // namespace neuopt::viewer
