#include "cli/word_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>

#include "cli/console.h"
#include "cli/number_check.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "problem/rounding.h"

namespace neuopt::cli {

void add_precision_option(CLI::App& command, std::string& precision, const std::string& text) {
  static const std::map<std::string, std::string> kOldNames = {{"single", "fp32"}, {"double", "fp64"}};
  command.add_option("--precision", precision, text)
      ->transform([](const std::string& name) { return kOldNames.contains(name) ? kOldNames.at(name) : name; })
      ->check(CLI::IsMember({"fp64", "fp32", "tf32", "bf16", "fp16"}));
}

CLI::Option* add_file_option(CLI::App& command, const std::string& name, std::string& path, const std::string& text) {
  return command.add_option(name, path, text + "; -: standard output")
      ->transform([](const std::string& given) {
        return given == "-" || is_standard_output(given) ? std::string(kStandardOutput) : given;
      })
      ->check(file_name);
}

CLI::Option* add_output_option(CLI::App& command, std::string& output, const std::string& text) {
  return add_file_option(command, "--output", output, text);
}

std::string file_name(const std::string& path) {
  return path.empty() || path == "-" ? "expected the name of a file, got " + quote_bytes(path) : "";
}

std::string any_name(const std::string& name) { return name.empty() ? "expected a name, got ''" : ""; }

void add_problems_option(CLI::App& command, std::vector<std::string>& problems) {
  const std::vector<std::string> names = problem_names();
  command.add_option("--problem", problems, fmt::format("{}, or several of them", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names));
}

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& text) {
  return command.add_option("--seed", seed, text)->transform(whole_number(0, std::numeric_limits<long>::max()));
}

void add_rounding_option(CLI::App& command, FileOverrides& overrides) {
  std::vector<std::string> names;
  for (const Rounding& rounding : kRoundings) names.emplace_back(rounding.name);
  command
      .add_option_function<std::string>(
          "--rounding", [&overrides](const std::string& name) { overrides.rounding = parse_rounding(name); },
          "Rounding of EUC_2D distances: none, round, trunc or dimacs (cut after one decimal) [dimacs with TYPE VRPTW "
          "and in Solomon's files, else round]")
      ->check(CLI::IsMember(names));
}

void add_vehicles_option(CLI::App& command, FileOverrides& overrides) {
  command.add_option("--vehicles", overrides.vehicles, "Most routes of a solution [as the file says]")
      ->transform(whole_number(1, std::numeric_limits<int>::max()));
}

void refuse_two_on_standard_output(bool json, const std::string& option, const std::string& output) {
  if (json && output == kStandardOutput)
    throw InputError(fmt::format("--json prints on standard output, name a file with {} or leave --json out", option));
}

}  // namespace neuopt::cli
