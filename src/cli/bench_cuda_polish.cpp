// neuopt bench polish: what the polish costs on a GPU beside the steps of the search, from tours as the bundled models
// visit them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "cli/bench_cuda.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/word_options.h"
#include "core/parallel.h"
#include "env/host_instance.h"
#include "problem/generate.h"
#include "search/model_choice.h"

namespace neuopt::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchPolishOptions {
  std::vector<std::string> problems = problem_names();
  int size = 100;
  int copies = 10'000;
  int polishes = 10;
  bool json = false;
};

constexpr int kFirstSteps = 200;  // to tours that the policy likes
constexpr int kInterval = 5;      // steps between two polishes that are measured

/// Uniform instances, one copy each, from the usual starts.
struct PolishedCopies {
  std::vector<SearchInstance> instances;
  std::vector<local::Neighbours> neighbours;
  std::vector<policy::Copy> copies;

  PolishedCopies(ProblemKind problem, int size, int count)
      : instances(static_cast<std::size_t>(count)), neighbours(instances.size()), copies(instances.size()) {
    parallel_for(count, resolve_threads(0), [&](int i, int /*worker*/) {
      const auto id = static_cast<std::uint32_t>(i);
      instances[id] = make_search_instance(generate_uniform(problem, size, 1, id));
      neighbours[id] = local::find_neighbours(instances[id]);
      copies[id] = {&instances[id], id, 0, env::standard_start(instances[id], Random{1}, id, 0), &neighbours[id]};
    });
  }
};

/// Seconds of so many steps after the first ones. The polish changes nothing about them.
double seconds_of(policy::Backend& backend, const std::shared_ptr<const policy::Model>& model,
                  const PolishedCopies& batch, int steps, int polish_interval) {
  policy::SessionOptions options;
  options.polish_interval = polish_interval;
  const auto session = backend.open(model, batch.copies, options);
  session->advance(kFirstSteps);
  const auto begin = std::chrono::steady_clock::now();
  session->advance(steps);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Json measure(policy::Backend& backend, ProblemKind problem, const BenchPolishOptions& options) {
  const auto chosen = search::load_named_model(fmt::format("{}{}", problem_name(problem), options.size));
  const PolishedCopies batch(problem, options.size, options.copies);
  const int steps = kInterval * options.polishes, usual = backend.usual_polish_interval(problem);
  const double plain = seconds_of(backend, chosen.model, batch, steps, 0);
  const double polished = seconds_of(backend, chosen.model, batch, steps, kInterval);
  const double step = plain / steps, polish = (polished - plain) / options.polishes;
  return {{"problem", problem_name(problem)},
          {"size", options.size},
          {"nodes", batch.instances.front().size()},
          {"copies", options.copies},
          {"milliseconds_per_step", step * 1e3},
          {"milliseconds_per_polish", polish * 1e3},
          {"usual_interval", usual},
          {"share_of_steps", usual > 0 ? polish / (usual * step) : 0.0}};
}

int run_bench_polish(const BenchPolishOptions& options) {
  const auto backend = backends::cuda::make_cuda_backend();
  Json rows = Json::array();
  for (const std::string& problem : options.problems)
    rows.push_back(measure(*backend, *parse_problem(problem), options));
  if (options.json) {
    print_json({{"backend", backend->name()}, {"rows", rows}});
    return 0;
  }
  fmt::print("{}\n{:<10} {:>8} {:>10} {:>12} {:>9} {:>18}\n", backend->name(), "batch", "copies", "ms a step",
             "ms a polish", "interval", "more than no polish");
  for (const Json& row : rows)
    fmt::print("{:<10} {:>8} {:>10.2f} {:>12.2f} {:>9} {:>17.1f}%\n",
               fmt::format("{}-{}", row["problem"].get<std::string>(), row["size"].get<int>()),
               row["copies"].get<int>(), row["milliseconds_per_step"].get<double>(),
               row["milliseconds_per_polish"].get<double>(), row["usual_interval"].get<int>(),
               100 * row["share_of_steps"].get<double>());
  return 0;
}

}  // namespace

void add_bench_polish(CLI::App& bench, Job& job) {
  const auto options = std::make_shared<BenchPolishOptions>();
  CLI::App* command = bench.add_subcommand("polish", "What the polish costs on a GPU beside the steps of the search");
  add_problems_option(*command, options->problems);
  command->add_option("--size", options->size, "Customers (TSP: nodes), a size with a bundled model")
      ->transform(whole_number(4, 10000))
      ->capture_default_str();
  command->add_option("--copies", options->copies, "Instances in the batch")
      ->transform(whole_number(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--polishes", options->polishes, "Polishes that are measured")
      ->transform(whole_number(1))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return run_bench_polish(*options); }; });
}

}  // namespace neuopt::cli
