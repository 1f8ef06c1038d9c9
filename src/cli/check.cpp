// neuopt check: replays recorded traces with a backend and prints the largest error of each quantity.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backends/factory.h"
#include "backends/trace/trace_check.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/train_check.h"
#include "cli/word_options.h"

namespace neuopt::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> traces;
  std::string backend = "reference";
  std::string precision;
  int threads = 0;
  bool train = false;           // check the trainer rather than a backend
  std::string device = "auto";  // of the trainer
  bool plain = false;           // the trainer without fused kernels
  bool json = false;
};

void print_table(const std::string& trace, const std::string& subject, const backends::trace::Discrepancies& table) {
  fmt::print("{}: {} ({})\n", trace, table.passed() ? "passed" : "FAILED", subject);
  fmt::print("  {:<22} {:>13} {:>11} {:>10}\n", "quantity", "largest error", "tolerance", "compared");
  for (const backends::trace::Discrepancy& row : table.rows()) {
    const std::string where = row.compared > 0 ? row.where : "nothing was compared";
    fmt::print("  {:<22} {:>13.3g} {:>11.3g} {:>10}  {}\n", row.quantity, row.largest, row.tolerance, row.compared,
               row.passed() ? where : fmt::format("above tolerance ({})", where));
  }
}

nlohmann::ordered_json to_json(const std::string& trace, const backends::trace::Discrepancies& table) {
  nlohmann::ordered_json object;
  object["trace"] = trace;
  object["passed"] = table.passed();
  auto& rows = object["quantities"] = nlohmann::ordered_json::array();
  for (const backends::trace::Discrepancy& row : table.rows())
    rows.push_back({{"quantity", row.quantity},
                    {"largest_error", row.largest},
                    {"tolerance", row.tolerance},
                    {"compared", row.compared},
                    {"where", row.where},
                    {"passed", row.passed()}});
  return object;
}

CheckSubject choose_subject(const CheckOptions& options) {
  if (options.train)
    return trainer_subject(options.device, options.plain, options.precision.empty() ? "fp32" : options.precision);
  const std::shared_ptr<policy::Backend> backend =
      backends::make_backend(options.backend, options.threads, options.precision);
  const backends::trace::TraceTolerances tolerances =
      backends::trace::tolerances_for(options.backend, options.precision);
  return {[backend] { return backend->name(); },
          [backend, tolerances](const std::string& path) {
            return backends::trace::check_trace(backends::trace::Trace::open(path), *backend, tolerances);
          }};
}

int check_traces(const CheckOptions& options) {
  const CheckSubject subject = choose_subject(options);
  bool passed = true;
  nlohmann::ordered_json traces = nlohmann::ordered_json::array();
  for (const std::string& path : options.traces) {
    const backends::trace::Discrepancies table = subject.check(path);
    passed = passed && table.passed();
    if (options.json)
      traces.push_back(to_json(path, table));
    else
      print_table(path, subject.name(), table);
  }
  if (options.json) print_json({{"backend", subject.name()}, {"passed", passed}, {"traces", traces}});
  return passed ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& program, Job& job) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = program.add_subcommand("check", "Replay recorded traces and compare every quantity");
  command->add_option("traces", options->traces, "Traces: .npz")->required();
  command->add_option("--backend", options->backend, "What runs the network")->capture_default_str();
  add_precision_option(*command, options->precision,
                       "Arithmetic of the backend. cpu: fp32; cuda and the trainer on it: fp32, fp16 (the trainer also "
                       "tf32) [fp32]; reference: fp64");
  command->add_option("--threads", options->threads, "Threads; 0: all the machine offers")
      ->capture_default_str()
      ->transform(whole_number(0, kMostThreads));
  command->add_flag("--train", options->train, "Check the trainer: a rollout and one update with all gradients")
      ->excludes("--backend", "--threads");
  command->add_option("--device", options->device, "Of the trainer: auto, cpu or cuda")->needs("--train");
  command->add_flag("--plain", options->plain, "The trainer without its fused kernels")->needs("--train");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return check_traces(*options); }; });
}

}  // namespace neuopt::cli
