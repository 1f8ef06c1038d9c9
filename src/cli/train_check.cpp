// neuopt check --train: the trainer against recorded traces.
#include "cli/train_check.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "train/check_trace.h"

namespace neuopt::cli {
namespace {

void print_table(const train::TraceReport& report, const std::string& device) {
  fmt::print("{}: {}, trainer on {}\n", report.file, report.passed() ? "passed" : "FAILED", device);
  fmt::print("  {:<24} {:>13} {:>11}\n", "quantity", "largest error", "tolerance");
  for (const train::TraceError& row : report.errors)
    fmt::print("  {:<24} {:>13.3g} {:>11.3g}  {}\n", row.quantity, row.error, row.tolerance,
               row.within() ? row.worst : "above tolerance " + row.worst);
}

nlohmann::ordered_json to_json(const train::TraceReport& report) {
  nlohmann::ordered_json object{{"trace", report.file}, {"passed", report.passed()}};
  auto& rows = object["quantities"] = nlohmann::ordered_json::array();
  for (const train::TraceError& row : report.errors)
    rows.push_back({{"quantity", row.quantity},
                    {"largest_error", row.error},
                    {"tolerance", row.tolerance},
                    {"where", row.worst},
                    {"passed", row.within()}});
  return object;
}

}  // namespace

int check_training(const std::vector<std::string>& traces, const std::string& device, bool plain,
                   const std::string& precision, bool json) {
  bool passed = true;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& path : traces) {
    const train::TraceReport report = train::check_trace(path, device, plain, precision);
    passed = passed && report.passed();
    if (json)
      all.push_back(to_json(report));
    else
      print_table(report, device);
  }
  if (json) print_json({{"backend", "trainer on " + device}, {"passed", passed}, {"traces", all}});
  return passed ? 0 : 1;
}

}  // namespace neuopt::cli
