// neuopt bench: search steps per second of a backend on uniform instances, beside what the machine can do at most and
// what plain code does.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/work.h"
#include "backends/factory.h"
#if defined(NEUOPT_WITH_CUDA)
#include "cli/bench_cuda.h"
#endif
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/train_bench.h"
#include "cli/uniform_copies.h"
#include "cli/word_options.h"
#include "core/parallel.h"
#include "core/text.h"
#include "policy/random_model.h"
#include "search/model_choice.h"

namespace neuopt::cli {
namespace {

struct BenchOptions {
  std::string backend = "cpu";
  std::string precision;
  std::string model;
  std::vector<std::string> problems = problem_names();
  std::vector<int> sizes = {20, 50, 100};
  int threads = 0;
  int copies = 16;     // for each thread
  double seconds = 1;  // for each measurement
  bool json = false;
};

/// Steps of all copies together, by the clock on the wall and by the time that processors spent.
struct Speed {
  double per_second = 0;
  double per_core_second = 0;
};

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The best of several stretches, because other programs can only make one slower.
Speed measure(policy::Backend& backend, const std::shared_ptr<const policy::Model>& model, const UniformCopies& batch,
              int threads, const BenchOptions& options) {
  using Clock = std::chrono::steady_clock;
  policy::SessionOptions session_options;
  session_options.threads = threads;
  session_options.precision = options.precision;
  const auto session = backend.open(model, batch.copies, session_options);
  Speed best;
  int steps = 1;
  double spent = 0;
  for (int stretch = 0; stretch < 4 || spent < options.seconds; ++stretch) {
    const Clock::time_point begin = Clock::now();
    const double processor_begin = processor_seconds();
    session->advance(steps);
    const double processor = processor_seconds() - processor_begin;
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    spent += wall;
    const double done = static_cast<double>(steps) * static_cast<double>(batch.copies.size());
    if (stretch > 0) {
      best.per_second = std::max(best.per_second, done / wall);
      best.per_core_second = std::max(best.per_core_second, done / processor);
    }
    if (wall < options.seconds / 10) steps *= 2;
  }
  return best;
}

std::shared_ptr<const policy::Model> model_for(ProblemKind problem, const BenchOptions& options) {
  if (!options.model.empty()) return search::load_named_model(options.model).model;
  return std::make_shared<policy::Model>(policy::random_model(policy::paper_architecture(problem), 1));
}

/// What the machine can do, for the cpu backend.
struct Peak {
  double one_core = 0, all_cores = 0;
};

nlohmann::ordered_json measure_row(ProblemKind problem, int size, int threads, const std::optional<Peak>& peak,
                                   const BenchOptions& options) {
  const std::shared_ptr<const policy::Model> model = model_for(problem, options);
  const auto backend = backends::make_backend(options.backend, threads);
  const UniformCopies batch(problem, size, options.copies * threads);
  const UniformCopies single(problem, size, 1);
  nlohmann::ordered_json row;
  row["problem"] = problem_name(problem);
  row["size"] = size;
  row["nodes"] = single.instances[0].size();
  const Speed alone = measure(*backend, model, single, 1, options);
  const Speed all = measure(*backend, model, batch, threads, options);
  row["single_instance_per_second"] = alone.per_second;
  row["single_instance_per_core_second"] = alone.per_core_second;
  row["batch_copies"] = batch.copies.size();
  row["batch_per_second"] = all.per_second;
  row["batch_per_core_second"] = all.per_core_second;
  if (!peak) return row;
  const double operations = backends::cpu::step_operations(model->architecture, single.instances[0].size());
  row["operations_per_step"] = operations;
  row["single_instance_share_of_peak"] = alone.per_core_second * operations / peak->one_core;
  row["batch_share_of_peak"] = all.per_core_second * threads * operations / peak->all_cores;
  BenchOptions plain = options;
  plain.precision.clear();
  const Speed baseline = measure(*backends::cpu::make_cpu_backend(1, "plain"), model, single, 1, plain);
  row["plain_code_per_core_second"] = baseline.per_core_second;
  row["times_plain_code"] = alone.per_core_second / baseline.per_core_second;
  return row;
}

void print_row(const nlohmann::ordered_json& row) {
  const auto number = [&](const char* key) { return row[key].get<double>(); };
  fmt::print("{:<9} {:>11.0f} {:>11.0f} {:>11.0f} {:>11.0f}",
             fmt::format("{}-{}", row["problem"].get<std::string>(), row["size"].get<int>()),
             number("single_instance_per_second"), number("single_instance_per_core_second"),
             number("batch_per_second"), number("batch_per_core_second"));
  if (row.contains("times_plain_code"))
    fmt::print(" {:>8.1f} {:>7.0f}% {:>7.0f}% {:>7.1f}x", number("operations_per_step") * 1e-6,
               100 * number("single_instance_share_of_peak"), 100 * number("batch_share_of_peak"),
               number("times_plain_code"));
  fmt::print("\n");
  std::fflush(stdout);
}

void print_head(const nlohmann::ordered_json& report) {
  fmt::print("backend {}, {} threads, precision {}, {} weights\n", report["backend"].get<std::string>(),
             report["threads"].get<int>(), report["precision"].get<std::string>(),
             report["model"].is_null() ? "random" : report["model"].get<std::string>());
  if (report.contains("peak_one_core"))
    fmt::print("measured peak of multiply-adds: {:.0f} GFLOP/s on one core, {:.0f} on {}\n",
               report["peak_one_core"].get<double>() * 1e-9, report["peak_all_cores"].get<double>() * 1e-9,
               report["threads"].get<int>());
  fmt::print("instance-steps per second (by the clock, and by processor time):\n{:<9} {:>23} {:>23}", "",
             "one instance, one core", "batch, all threads");
  if (report.contains("peak_one_core"))
    fmt::print(" {:>8} {:>8} {:>8} {:>8}", "MFLOP", "of peak", "of peak", "to plain");
  fmt::print("\n");
}

int run_bench(BenchOptions options) {
  if (!options.model.empty())
    options.problems = {problem_name(search::load_named_model(options.model).model->architecture.problem)};
  const int threads = resolve_threads(options.threads);
  nlohmann::ordered_json report;
  report["backend"] = backends::make_backend(options.backend, threads)->name();
  report["threads"] = threads;
  report["precision"] = options.precision.empty() ? "default" : options.precision;
  report["model"] = options.model.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(options.model);
  std::optional<Peak> peak;
  if (options.backend == "cpu") {
    const bool half = options.precision == "bf16";
    peak = Peak{backends::cpu::measured_peak(1, half), backends::cpu::measured_peak(threads, half)};
    report["peak_one_core"] = peak->one_core;
    report["peak_all_cores"] = peak->all_cores;
  }
  if (!options.json) print_head(report);
  auto& rows = report["rows"] = nlohmann::ordered_json::array();
  for (const std::string& problem : options.problems)
    for (const int size : options.sizes) {
      rows.push_back(measure_row(*parse_problem(problem), size, threads, peak, options));
      if (!options.json) print_row(rows.back());
    }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  report["resident_megabytes"] = static_cast<double>(usage.ru_maxrss) / 1024;
  if (options.json)
    print_json(report);
  else
    fmt::print("resident memory at most {:.0f} MB\n", report["resident_megabytes"].get<double>());
  return 0;
}

}  // namespace

void add_bench(CLI::App& program, Job& job) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = program.add_subcommand("bench", "Measure search steps per second on this machine");
  command->add_option("backend", options->backend, "Backend")
      ->capture_default_str()
      ->check([](const std::string& name) {
        const std::vector<std::string> known = backends::backend_names();
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
        return is_known ? ""
                        : fmt::format("no backend ({}) or subcommand is called {}", fmt::join(known, ", "),
                                      quote_bytes(name));
      });
  add_precision_option(*command, options->precision, "Arithmetic of the backend. cpu: fp32 or bf16 [fp32]");
  add_problems_option(*command, options->problems);
  command
      ->add_option("--model", options->model, "Model: a file, or the name of a bundled one; random weights without one")
      ->excludes("--problem")
      ->check(any_name);
  command->add_option("--size", options->sizes, "Customers (TSP: nodes)")->transform(whole_number(4, 10000));
  command->add_option("--threads", options->threads, "Threads (0: all)")->transform(whole_number(0, kMostThreads));
  command->add_option("--copies", options->copies, "Copies in the batch for each thread")
      ->transform(whole_number(1, 100'000));
  command->add_option("--seconds", options->seconds, "Time of each measurement")->check(number_in(0.01, 600));
  command->add_flag("--json", options->json, "Print one JSON object");
#if defined(NEUOPT_WITH_CUDA)
  add_bench_cuda(*command, job);
  add_bench_polish(*command, job);
#endif
  add_trainer_benches(*command, job);
  command->callback([options, command, &job] {
    if (command->get_subcommands().empty()) job = [options] { return run_bench(*options); };
  });
}

}  // namespace neuopt::cli
