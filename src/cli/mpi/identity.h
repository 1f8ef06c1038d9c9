// What the lines of a run depend on: the set, the model, the seed and the settings. Ranks must agree on it, and so must
// a run and the file that it continues.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/ranks.h"

namespace neuopt::cli::mpi {

/// The models that the set needs, in one order for every rank, separated by commas.
struct Models {
  std::string names, checksums;
};
Models models_of(const RankedSet& set, Solver& solver);

/// A field for each thing. Of the device it holds the kind: ranks may have different makes.
nlohmann::ordered_json identity(const RankedSet& set, const Models& models, const std::string& device);

struct Difference {
  std::string field, ours, theirs;  // the values as JSON
};
/// The first field of ours that is another in theirs.
std::optional<Difference> difference(const nlohmann::ordered_json& ours, const nlohmann::ordered_json& theirs);

}  // namespace neuopt::cli::mpi
