// neuopt import: weights under the names of the published checkpoints become a model.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/file_guard.h"
#include "cli/number_check.h"
#include "cli/word_options.h"
#include "kopt/action.h"
#include "policy/model.h"

namespace neuopt::cli {
namespace {

struct ImportOptions {
  std::string weights;
  std::string output;
  int max_moves = 4;
  int trained_size = 0;
};

int import_weights(const ImportOptions& options) {
  FileGuard guard;
  guard.reads(options.weights, "the weights");
  guard.writes(options.output, "--output");
  policy::Model model = policy::import_model(options.weights, options.max_moves);
  model.trained_size = options.trained_size;
  policy::save_model(options.output, model);
  fmt::print("{}: {} model, {} parameters, K = {}\n", options.output, traits(model.architecture.problem).label,
             policy::parameter_count(model.weights.specs()), options.max_moves);
  return 0;
}

}  // namespace

void add_import(CLI::App& program, Job& job) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = program.add_subcommand("import", "Turn published weights into a model");
  command->add_option("weights", options->weights, "Weights: a PyTorch .pt, .npz or .safetensors")->required();
  command->add_option("--output", options->output, "Model to write: .safetensors")->required()->check(file_name);
  command->add_option("--k", options->max_moves, "Basis moves of one action (no tensor tells it)")
      ->capture_default_str()
      ->transform(whole_number(2, kopt::kMostMoves));
  command->add_option("--size", options->trained_size, "Customers it was trained for; 0: unknown")
      ->capture_default_str()
      ->transform(whole_number(0));
  command->callback([options, &job] { job = [options] { return import_weights(*options); }; });
}

}  // namespace neuopt::cli
