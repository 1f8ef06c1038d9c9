// A model as the beginning of one for another problem.
#pragma once

#include "policy/model.h"

namespace neuopt::policy {

/// The model for a problem whose nodes have all the features that this one knows and further ones behind them: weights
/// of 0 for those, so that it chooses as before, but for prospects where the problem has none. A model that is no such
/// beginning comes back as it is.
Model widened(Model model, ProblemKind problem);

/// The model as one that knows prospects (env/prospects.h), if it does not yet: at first it likes choices better that
/// would lead below the best cost.
Model with_prospects(Model model);

}  // namespace neuopt::policy
