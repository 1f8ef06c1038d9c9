// Figures of results: gap against steps on a test set, and the curves of a training run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/chart.h"

namespace neuopt::report {

/// The file of one evaluation: what `neuopt eval --curve ... --json` printed.
struct EvaluationFile {
  std::string name;  // for messages
  std::string bytes;
};

/// Logarithmic axes where the lines of a panel span much, which they then fill.
void choose_axes(Panel& panel);

/// Mean gap against search steps, one line for each file, with a band from the 10th to the 90th percentile of the
/// instances; mean cost where no reference is known. Throws InputError when a file holds no curve.
Chart gap_chart(const std::vector<EvaluationFile>& evaluations);

/// The curves of a training run from its log of JSON lines. Takes what it finds: gaps or costs of the validation,
/// costs, losses, entropy and norms of the batches; the horizontal axis is the first of batch, epoch and seconds that
/// is there. Throws InputError when there is nothing to draw.
Chart training_chart(std::string_view log, const std::string& filename);

}  // namespace neuopt::report
