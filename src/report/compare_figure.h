// Several training runs or evaluations in one picture.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/result_figures.h"

namespace neuopt::report {

/// One line of the picture: repetitions of the same thing, as with several seeds.
struct ComparedCurve {
  std::string name;                   // in the legend
  std::vector<EvaluationFile> files;  // each the log of a training run (NAME.jsonl) or an evaluation with a curve
};

struct CompareOptions {
  std::string field;     // what is drawn: a field of the logs, or mean_cost or gap_percent of evaluations; "": the gap
                         // where all files have one, else the cost, of training runs after the most search steps
  bool minutes = false;  // over the time that the runs of a curve had trained on average, not over batches
  double below = std::numeric_limits<double>::infinity();  // points above it are left out, as at a steep beginning
};

/// The mean of each curve's files, with a band from the lowest to the highest; points that some file lacks are left
/// out. Throws InputError when runs and evaluations are mixed, or a file has nothing to draw.
Chart compare_chart(const std::vector<ComparedCurve>& curves, const CompareOptions& options = {});

}  // namespace neuopt::report
