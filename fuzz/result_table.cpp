// Any bytes are a plan of measurements or a result of eval, or an InputError; a table can be made of what was read.
#include "report/result_table.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace {

using Results = std::vector<std::optional<neuopt::MeasuredResult>>;

void read_plan(std::string_view bytes) {
  try {
    const neuopt::ResultPlan plan = neuopt::parse_result_plan(bytes, "fuzz");
    neuopt::report::result_table(plan, Results(plan.rows.size()), {{"A", "T", "gap"}, true});
  } catch (const neuopt::InputError&) {
  }
}

void read_result(std::string_view bytes) {
  neuopt::ResultPlan plan;
  plan.rows = {{"row", "row", "set.npz", 1000, 1, 50, {}}};
  try {
    const neuopt::MeasuredResult result = neuopt::parse_measured_result(bytes, "fuzz", plan.rows[0]);
    neuopt::report::result_table(plan, {result}, {neuopt::report::table_columns(), true});
  } catch (const neuopt::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_plan(bytes);
  read_result(bytes);
  return 0;
}
