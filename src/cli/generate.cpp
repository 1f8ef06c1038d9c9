// neuopt generate: uniform instances of the field or shaped ones, as a test set or as one text file.
#include "problem/generate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/memory_option.h"
#include "cli/number_check.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/validate.h"

namespace neuopt::cli {
namespace {

struct GenerateOptions {
  std::string problem;
  int size = 0;
  int count = 1;
  std::uint64_t seed = 1;
  double capacity = 0;
  bool shaped = false;
  std::string output;
  std::string format;
  double memory_limit = 0;  // 0: what is free
};

/// The ending of an instance's file is the name of its format.
std::string text_format(ProblemKind kind) { return traits(kind).instance_ending + 1; }

std::vector<std::string> text_formats() {
  std::vector<std::string> formats;
  for (const ProblemKind kind : kProblemKinds) formats.push_back(text_format(kind));
  return formats;
}

/// The format asked for, else the one the output's name ends in; npz where it has no ending.
std::string chosen_format(const GenerateOptions& options) {
  if (!options.format.empty()) return options.format;
  for (const std::string& format : text_formats())
    if (options.output.ends_with("." + format)) return format;
  if (options.output.ends_with(".npz") || !std::filesystem::path(options.output).has_extension()) return "npz";
  throw InputError(
      fmt::format("{}: expected a name that ends in .npz, .tsp or .vrp, or a --format", quote_bytes(options.output)));
}

/// Before the work; a set has at least so many bytes: two coordinates in single precision for each place.
void refuse_unreadable_set(const GenerateOptions& options) {
  const double bytes = 2.0 * sizeof(float) * options.count * options.size;
  if (bytes > static_cast<double>(kLargestFile))
    throw InputError(
        fmt::format("--count {}: a set of so many instances would have {:.1f} GiB or more, and files of up to "
                    "{} GiB are read; write several sets",
                    options.count, bytes / (1 << 30), kLargestFile >> 30));
}

/// Of every number while a set is written: the instances, their tensors, the archive.
constexpr double kCopiesInMemory = 3;

int generate(const GenerateOptions& options) {
  const ProblemKind kind = *parse_problem(options.problem);
  const std::string format = chosen_format(options);
  if (format != "npz" && format != text_format(kind))
    throw InputError(
        fmt::format("a {} cannot be written as {}, expected npz or {}", options.problem, format, text_format(kind)));
  if (format != "npz" && options.count != 1)
    throw InputError(fmt::format("a {} file holds one instance, not {}", format, options.count));
  if (!traits(kind).demands && options.capacity != 0)
    throw InputError(fmt::format("--capacity: a {} has none", options.problem));
  if (options.shaped && options.capacity != 0)
    throw InputError("--capacity: a shaped instance draws its own, expected either --shaped or --capacity");

  check_writable(options.output);
  require_memory_to_generate(kind, options.size, options.count, kCopiesInMemory, options.memory_limit);
  refuse_unreadable_set(options);
  std::vector<Instance> instances;
  instances.reserve(static_cast<std::size_t>(options.count));
  for (int index = 0; index < options.count; ++index) {
    const auto number = static_cast<std::uint64_t>(index);
    instances.push_back(options.shaped ? generate_shaped(kind, options.size, options.seed, number)
                                       : generate_uniform(kind, options.size, options.seed, number, options.capacity));
  }
  if (format == "npz")
    write_test_set(options.output, instances);
  else
    write_file(options.output, write_instance(instances[0]));
  return 0;
}

}  // namespace

void add_generate(CLI::App& program, Job& job) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = program.add_subcommand("generate", "Make uniform or shaped instances in the unit square");
  command->add_option("problem", options->problem, std::string(kProblemNames))
      ->required()
      ->check(CLI::IsMember(problem_names()));
  command->add_option("--size", options->size, "Nodes of a tsp, customers of others")
      ->required()
      ->transform(whole_number(1, kMostCustomers));
  command->add_option("--count", options->count, "Instances [1]")->transform(whole_number(1, kMostInstances));
  add_seed_option(*command, options->seed, "Seed; instance i depends on the seed and i alone [1]");
  command->add_option("--capacity", options->capacity, "Capacity of a vehicle [30, 40, 50, 70 for 20, 50, 100, 200]")
      ->check(number_above_zero(magnitude_limit));
  command->add_flag("--shaped", options->shaped,
                    "Clustered, stretched, on a lattice or in a repeated pattern; depots, demands, capacities and "
                    "times of many kinds");
  add_output_option(*command, options->output, "File to write: .npz, .tsp or .vrp")->required();
  command->add_option("--format", options->format, "npz, tsp or vrp [by the name of the output]")
      ->check(CLI::IsMember({"npz", "tsp", "vrp"}));
  add_memory_option(*command, options->memory_limit, "Memory that the instances may take");
  command->callback([options, &job] { job = [options] { return generate(*options); }; });
}

}  // namespace neuopt::cli
