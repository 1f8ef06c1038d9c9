// neuopt table: measured results beside figures from elsewhere, as Markdown.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "core/error.h"
#include "core/file.h"
#include "report/result_table.h"

namespace neuopt::cli {
namespace {

struct TableCommand {
  std::string plan, results;
  report::TableOptions table{{"instances", "cost", "gap", "seconds", "device", "model"}, false};
};

/// None when the row was not measured yet. A file that is there but cannot be read is an error, not a missing row.
std::optional<MeasuredResult> read_result(const std::string& folder, const PlanRow& row) {
  const std::string path = folder + "/" + row.result + ".json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  return parse_measured_result(read_file(path), path, row);
}

int print_table(const TableCommand& command) {
  const ResultPlan plan = parse_result_plan(read_file(command.plan), command.plan);
  std::error_code unreadable;
  if (!std::filesystem::is_directory(command.results, unreadable))
    throw InputError(command.results, 0, "no such folder");
  std::vector<std::optional<MeasuredResult>> results;
  for (const PlanRow& row : plan.rows) results.push_back(read_result(command.results, row));
  fmt::print("{}", report::result_table(plan, results, command.table));
  return 0;
}

}  // namespace

void add_table(CLI::App& program, Job& job) {
  auto options = std::make_shared<TableCommand>();
  CLI::App* command = program.add_subcommand("table", "Print a Markdown table of results of eval");
  command->add_option("plan", options->plan, "Plan: a CSV file with a line for each measurement")->required();
  command->add_option("--results", options->results, "Folder with what 'neuopt eval --json' printed, NAME.json each")
      ->required();
  command
      ->add_option("--columns", options->table.columns,
                   fmt::format("Columns to show, of {}; others are those of the plan, which come last where they are "
                               "not named",
                               fmt::join(report::table_columns(), ", ")))
      ->delimiter(',');
  command->add_flag("--mean", options->table.mean, "Add a row with the means of the gaps");
  command->footer(
      "The plan's first column is the row's name; its columns result, input, instances, nodes, augment and steps say\n"
      "what is measured (instances: or runs); all others are shown as they are. scripts/results.sh works through "
      "plans.");
  command->callback([options, &job] { job = [options] { return print_table(*options); }; });
}

}  // namespace neuopt::cli
