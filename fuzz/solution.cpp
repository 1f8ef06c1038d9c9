// Any bytes are a solution of a small CVRP and of a small TSP, or an InputError; what was read is written and read back
// without a change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "io/solution_file.h"

namespace {

using namespace neuopt;

Instance small_instance(ProblemKind kind) {
  Instance instance;
  instance.kind = kind;
  instance.size = 12;
  instance.depot = kind == ProblemKind::cvrp ? 5 : 0;
  return instance;
}

void try_as(ProblemKind kind, std::string_view bytes) {
  const Instance instance = small_instance(kind);
  std::string written;
  try {
    const SolutionFile file = parse_solution(bytes, "fuzz", instance, [](const std::string&) {});
    written = write_solution(instance, file.solution, file.cost.value_or(0));
  } catch (const InputError&) {
    return;
  }
  // Outside the try: what we wrote ourselves must be readable.
  const SolutionFile again = parse_solution(written, "written", instance);
  if (!again.cost || write_solution(instance, again.solution, *again.cost) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_as(ProblemKind::cvrp, bytes);
  try_as(ProblemKind::tsp, bytes);
  return 0;
}
