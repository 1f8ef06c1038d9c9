// A model as the beginning of one for another problem.
#pragma once

#include "policy/model.h"

namespace neuopt::policy {

/// The model for a problem whose nodes have all the features that this one knows and further ones behind them: weights
/// of 0 for those, so that it chooses as before. A model that is no such beginning comes back as it is.
Model widened(Model model, ProblemKind problem);

}  // namespace neuopt::policy
