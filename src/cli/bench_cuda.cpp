// neuopt bench cuda: large batches on a GPU by the clock, time and work of each kernel of a step, and one instance with
// many copies, where the latency of launches counts.
#include "cli/bench_cuda.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/measure.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/uniform_copies.h"
#include "cli/word_options.h"
#include "policy/random_model.h"

namespace neuopt::cli {
namespace {

using Json = nlohmann::ordered_json;
using backends::cuda::Ceilings;

struct BenchCudaOptions {
  std::vector<std::string> problems = problem_names();
  std::vector<int> sizes = {20, 50, 100};
  std::string precision;
  int copies = 10'000;
  int steps = 1'000;
  int one_instance_copies = 100;
  bool json = false;
};

constexpr int kProfiledSteps = 20;

/// Seconds of the authors' PyTorch code for 10,000 instances and 1,000 steps on one H200.
struct AuthorsTime {
  ProblemKind problem;
  int size;
  double seconds;
};
constexpr AuthorsTime kAuthors[] = {{ProblemKind::tsp, 20, 60.4},   {ProblemKind::tsp, 50, 129.0},
                                    {ProblemKind::tsp, 100, 263.8}, {ProblemKind::cvrp, 20, 100.9},
                                    {ProblemKind::cvrp, 50, 218.3}, {ProblemKind::cvrp, 100, 363.0}};
constexpr double kAuthorsInstanceSteps = 1e7;

/// The authors' seconds for that much work, or 0 when there is no figure.
double authors_seconds(ProblemKind problem, int size, double instance_steps) {
  for (const AuthorsTime& time : kAuthors)
    if (time.problem == problem && time.size == size) return time.seconds * instance_steps / kAuthorsInstanceSteps;
  return 0;
}

double seconds_of(policy::Session& session, int steps) {
  const auto begin = std::chrono::steady_clock::now();
  session.advance(steps);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::unique_ptr<policy::Session> open_session(policy::Backend& backend,
                                              const std::shared_ptr<const policy::Model>& model,
                                              const UniformCopies& batch, const BenchCudaOptions& options) {
  policy::SessionOptions session_options;
  session_options.precision = options.precision;
  return backend.open(model, batch.copies, session_options);
}

Json kernels_json(const backends::cuda::StepProfile& profile, const Ceilings& ceilings) {
  Json kernels = Json::array();
  for (const backends::cuda::KernelTime& kernel : profile.kernels)
    kernels.push_back({{"kernel", kernel.kernel},
                       {"launches", kernel.launches},
                       {"milliseconds_per_step", kernel.seconds * 1e3},
                       {"gflop_per_step", kernel.work.flop * 1e-9},
                       {"megabytes_per_step", kernel.work.bytes * 1e-6},
                       {"share_of_arithmetic", kernel.work.flop / kernel.seconds / ceilings.half_flop_per_second},
                       {"share_of_bandwidth", kernel.work.bytes / kernel.seconds / ceilings.bytes_per_second}});
  return kernels;
}

/// Many instances of one size.
Json measure_batch(policy::Backend& backend, ProblemKind problem, int size, const Ceilings& ceilings,
                   const BenchCudaOptions& options) {
  const auto model =
      std::make_shared<const policy::Model>(policy::random_model(policy::paper_architecture(problem), 1));
  const UniformCopies batch(problem, size, options.copies);
  const auto session = open_session(backend, model, batch, options);
  session->advance(2);  // kernels are loaded, the step is recorded
  const double seconds = seconds_of(*session, options.steps);
  const double done = static_cast<double>(options.copies) * options.steps;
  const auto profile = backends::cuda::profile_steps(*session, model->architecture, kProfiledSteps);
  const double authors = authors_seconds(problem, size, done);
  Json row;
  row["problem"] = problem_name(problem);
  row["size"] = size;
  row["nodes"] = batch.instances.front().size();
  row["precision"] = profile.precision;
  row["copies"] = options.copies;
  row["steps"] = options.steps;
  row["seconds"] = seconds;
  row["instance_steps_per_second"] = done / seconds;
  row["authors_seconds"] = authors > 0 ? Json(authors) : Json();
  row["times_authors"] = authors > 0 ? Json(authors / seconds) : Json();
  row["profiled_copies"] = profile.copies;
  row["kernels"] = kernels_json(profile, ceilings);
  return row;
}

/// One TSP-100 instance with many copies.
Json measure_one_instance(policy::Backend& backend, const BenchCudaOptions& options) {
  const auto model =
      std::make_shared<const policy::Model>(policy::random_model(policy::paper_architecture(ProblemKind::tsp), 1));
  const UniformCopies batch(ProblemKind::tsp, 100, 1, options.one_instance_copies);
  const auto session = open_session(backend, model, batch, options);
  session->advance(2);
  const double seconds = seconds_of(*session, options.steps);
  return {{"problem", problem_name(ProblemKind::tsp)},
          {"size", 100},
          {"copies", options.one_instance_copies},
          {"steps", options.steps},
          {"seconds", seconds},
          {"search_steps_per_second", options.steps / seconds},
          {"instance_steps_per_second", static_cast<double>(options.one_instance_copies) * options.steps / seconds}};
}

std::string ratio_text(const Json& number, const char* unit) {
  return number.is_null() ? "-" : fmt::format("{:.1f}{}", number.get<double>(), unit);
}

void print_kernels(const Json& row) {
  fmt::print("{}-{}, one step of {} copies in {}:\n", row["problem"].get<std::string>(), row["size"].get<int>(),
             row["profiled_copies"].get<int>(), row["precision"].get<std::string>());
  fmt::print("  {:<16} {:>8} {:>10} {:>10} {:>10} {:>12} {:>12}\n", "kernel", "launches", "ms", "GFLOP", "MB",
             "of fp16 rate", "of bandwidth");
  for (const Json& kernel : row["kernels"])
    fmt::print("  {:<16} {:>8} {:>10.4f} {:>10.2f} {:>10.1f} {:>11.1f}% {:>11.1f}%\n",
               kernel["kernel"].get<std::string>(), kernel["launches"].get<int>(),
               kernel["milliseconds_per_step"].get<double>(), kernel["gflop_per_step"].get<double>(),
               kernel["megabytes_per_step"].get<double>(), 100 * kernel["share_of_arithmetic"].get<double>(),
               100 * kernel["share_of_bandwidth"].get<double>());
}

void print_report(const Json& report) {
  fmt::print("{}\nmeasured ceilings: copy {:.2f} TB/s, product of 8192^2 matrices in fp16 {:.0f} TFLOP/s\n\n",
             report["backend"].get<std::string>(), report["bytes_per_second"].get<double>() * 1e-12,
             report["half_flop_per_second"].get<double>() * 1e-12);
  for (const Json& row : report["rows"]) print_kernels(row);
  fmt::print("\n{:<10} {:>8} {:>7} {:>9} {:>18} {:>10} {:>8}\n", "batch", "copies", "steps", "seconds",
             "instance-steps/s", "authors s", "times");
  for (const Json& row : report["rows"])
    fmt::print("{:<10} {:>8} {:>7} {:>9.3f} {:>18.0f} {:>10} {:>8}\n",
               fmt::format("{}-{}", row["problem"].get<std::string>(), row["size"].get<int>()),
               row["copies"].get<int>(), row["steps"].get<int>(), row["seconds"].get<double>(),
               row["instance_steps_per_second"].get<double>(), ratio_text(row["authors_seconds"], ""),
               ratio_text(row["times_authors"], "x"));
  const Json& one = report["one_instance"];
  fmt::print("one TSP-100 instance, {} copies: {:.0f} search steps/s, {:.0f} instance-steps/s\n",
             one["copies"].get<int>(), one["search_steps_per_second"].get<double>(),
             one["instance_steps_per_second"].get<double>());
}

int run_bench_cuda(const BenchCudaOptions& options) {
  const auto backend = backends::cuda::make_cuda_backend();
  const Ceilings ceilings = backends::cuda::measure_ceilings();
  Json report;
  report["backend"] = backend->name();
  report["bytes_per_second"] = ceilings.bytes_per_second;
  report["half_flop_per_second"] = ceilings.half_flop_per_second;
  auto& rows = report["rows"] = Json::array();
  for (const std::string& problem : options.problems)
    for (const int size : options.sizes)
      rows.push_back(measure_batch(*backend, *parse_problem(problem), size, ceilings, options));
  report["one_instance"] = measure_one_instance(*backend, options);
  if (options.json)
    print_json(report);
  else
    print_report(report);
  return 0;
}

}  // namespace

void add_bench_cuda(CLI::App& bench, Job& job) {
  const auto options = std::make_shared<BenchCudaOptions>();
  CLI::App* command = bench.add_subcommand("cuda", "Large batches on a GPU, by the clock and kernel by kernel");
  add_problems_option(*command, options->problems);
  command->add_option("--size", options->sizes, "Customers (TSP: nodes)")->transform(whole_number(4, 10000));
  command->add_option("--copies", options->copies, "Instances in the batch")
      ->transform(whole_number(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--steps", options->steps, "Search steps")->transform(whole_number(1))->capture_default_str();
  command->add_option("--precision", options->precision, "fp16 or fp32 [fp16]")->check(CLI::IsMember({"fp16", "fp32"}));
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return run_bench_cuda(*options); }; });
}

}  // namespace neuopt::cli
