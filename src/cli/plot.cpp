// neuopt plot: figures of searches, evaluations and training runs.
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_guard.h"
#include "cli/number_check.h"
#include "cli/picture_file.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "report/compare_figure.h"
#include "report/result_figures.h"
#include "report/search_figures.h"

namespace neuopt::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> files;
  report::LogWindow window;
  report::CompareOptions compared;
  std::string output;
};

/// The log of a training run: the file itself, or log.jsonl in its folder.
std::string log_path(const std::string& path) {
  struct stat info {};
  const bool folder = stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  return folder ? path + "/log.jsonl" : path;
}

/// What an argument names: a file, or "NAME=FILE,FILE,..." for one curve over several.
std::vector<std::string> files_of(const std::string& argument) {
  std::istringstream list(argument.substr(argument.find_last_of('=') + 1));
  std::vector<std::string> files;
  for (std::string file; std::getline(list, file, ',');) files.push_back(file);
  if (files.empty()) throw InputError("no file in " + quote_bytes(argument));
  return files;
}

/// A figure of a search log; what it lacks is said with its name.
template <typename Draw>
report::Chart of_log(const PlotOptions& options, Draw draw) {
  const std::string& path = options.files.at(0);
  const SearchLog log = read_search_log(path);
  try {
    return draw(log);
  } catch (const InputError& error) {
    throw InputError(path, 0, error.what());
  }
}

report::Chart trajectory(const PlotOptions& options) {
  return of_log(options, [&](const SearchLog& log) { return report::trajectory_chart(log, options.window); });
}

report::Chart exchange_sizes(const PlotOptions& options) { return of_log(options, report::exchange_size_chart); }

report::Chart infeasible(const PlotOptions& options) { return of_log(options, report::infeasible_before_best_chart); }

report::Chart gap(const PlotOptions& options) {
  std::vector<report::EvaluationFile> evaluations;
  for (const std::string& path : options.files) evaluations.push_back({path, read_file(path)});
  return report::gap_chart(evaluations);
}

report::Chart training(const PlotOptions& options) {
  const std::string path = log_path(options.files.at(0));
  return report::training_chart(read_file(path), path);
}

report::Chart compare(const PlotOptions& options) {
  std::vector<report::ComparedCurve> curves;
  for (const std::string& text : options.files) {
    report::ComparedCurve curve{text.substr(0, text.find_last_of('=')), {}};
    for (const std::string& file : files_of(text)) curve.files.push_back({log_path(file), read_file(log_path(file))});
    curves.push_back(std::move(curve));
  }
  return report::compare_chart(curves, options.compared);
}

/// Adds one kind of figure; `chart` makes it from the options.
std::pair<CLI::App*, std::shared_ptr<PlotOptions>> add_figure(CLI::App& plot, Job& job, const char* name,
                                                              const char* text, const char* files,
                                                              std::function<report::Chart(const PlotOptions&)> chart,
                                                              int most_files = 1) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* figure = plot.add_subcommand(name, text);
  figure->add_option(most_files > 1 ? "files" : "file", options->files, files)
      ->required()
      ->expected(1, most_files > 1 ? CLI::detail::expected_max_vector_size : 1);
  add_output_option(*figure, options->output, "Picture to write: .svg, or .png with rsvg-convert installed")
      ->required();
  const bool curves = std::string_view(name) == "compare";
  figure->callback([options, chart = std::move(chart), curves, most_files, &job] {
    job = [options, chart, curves, most_files] {
      if (options->files.size() > static_cast<std::size_t>(most_files))
        throw InputError(fmt::format("{} curves, expected at most {}", options->files.size(), most_files));
      FileGuard guard;
      for (const std::string& argument : options->files)
        for (const std::string& file : curves ? files_of(argument) : std::vector{argument})
          guard.reads(log_path(file), "what is plotted");
      guard.writes(options->output, "--output");
      write_picture(options->output, report::draw_chart(chart(*options)));
      return 0;
    };
  });
  return {figure, options};
}

}  // namespace

void add_plot(CLI::App& program, Job& job) {
  CLI::App* plot = program.add_subcommand("plot", "Draw figures of searches, evaluations and training runs");
  plot->require_subcommand(1);
  const char* log = "Search log: what 'neuopt solve --trace' wrote";
  const auto [figure, options] =
      add_figure(*plot, job, "trajectory", "Cost of every solution visited, feasible or not", log, trajectory);
  figure
      ->add_option_function<int>(
          "--copy", [options = options](int number) { options->window.copy = number - 1; }, "Copy of the search [1]")
      ->transform(whole_number(1));
  figure->add_option("--first", options->window.first, "First step shown [1]")->transform(whole_number(1));
  figure->add_option("--last", options->window.last, "Last step shown [the last]")->transform(whole_number(1));
  add_figure(*plot, job, "k", "How many edges the exchanges change, in all and along the search", log, exchange_sizes);
  add_figure(*plot, job, "infeasible", "Infeasible solutions among the five before a new best", log, infeasible);
  add_figure(*plot, job, "gap", "Gap against search steps on a test set, with bands",
             "What 'neuopt eval SET --curve ... --json' printed", gap, 8);
  add_figure(*plot, job, "training", "Curves of a training run", "Folder of the run, or its log.jsonl", training);
  const auto [comparison, compared] = add_figure(
      *plot, job, "compare", "Several training runs or evaluations in one picture, with bands over repetitions",
      "A curve each: NAME=FILE,FILE,... or FILE. Files are folders of runs, logs, or what 'eval --curve --json' "
      "printed",
      compare, 12);
  comparison->add_option("--field", compared->compared.field,
                         "What is drawn: a field of the logs, as in cost_300, or mean_cost or gap_percent of "
                         "evaluations [the gap where all have one, else the cost, after the most steps]");
  comparison->add_flag("--minutes", compared->compared.minutes, "Over the minutes of training, not over batches");
  comparison->add_option("--below", compared->compared.below,
                         "Leave out points above this value, as at a steep beginning [all are drawn]");
}

}  // namespace neuopt::cli
