#include "cli/mpi/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "core/checksum.h"
#include "core/file.h"

namespace neuopt::cli::mpi {
namespace {

/// Of everything that the answers and lines take from the set.
std::string checksum(const RankedSet& set) {
  Checksum sum;
  for (const std::string& path : instance_files(set.paths)) sum.add(read_file(path));
  for (const Instance& instance : set.instances) {
    sum.add(instance.name);
    const double reference = instance.reference_cost.value_or(0);
    sum.add(&reference, sizeof(reference));
    sum.add(&instance.metric, sizeof(instance.metric));  // which the command line may have chosen
    sum.add(&instance.vehicles, sizeof(instance.vehicles));
  }
  return fmt::format("{:016x}", sum.value());
}

std::string joined(const std::set<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

}  // namespace

Models models_of(const RankedSet& set, Solver& solver) {
  std::set<std::string> names, checksums;
  if (!set.options.use_policy) return {};
  for (const Instance& instance : set.instances) {
    const ModelLabel label = solver.model_for(instance, set.options);
    if (label.name.empty()) continue;
    names.insert(label.name);
    checksums.insert(label.checksum);
  }
  return {.names = joined(names), .checksums = joined(checksums)};
}

nlohmann::ordered_json identity(const RankedSet& set, const Models& models, const std::string& device) {
  const SolveOptions& options = set.options;
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json object;
  object["command"] = set.command;
  object["set"] = checksum(set);
  object["instances"] = set.instances.size();
  object["seed"] = options.seed;
  object["model"] = models.checksums;
  object["policy"] = options.use_policy ? "model" : "none";
  object["steps"] = or_null(options.steps);
  object["time_limit"] = or_null(set.time_limit);
  object["patience"] = options.patience;
  object["augment"] = options.copies;
  object["stall"] = options.stall_limit;
  object["augment_start"] = options.augment_start;
  object["start"] = search::start_name(options.start);
  object["polish"] = polish_json(options);
  object["restart"] = options.restart;
  object["by_parts"] = or_null(options.by_parts);
  object["curve"] = options.curve;
  object["device"] = device.substr(0, device.find(' '));
  object["precision"] = options.precision;
  object["version"] = NEUOPT_VERSION;
  return object;
}

std::optional<Difference> difference(const nlohmann::ordered_json& ours, const nlohmann::ordered_json& theirs) {
  for (const auto& [field, value] : ours.items()) {
    const nlohmann::ordered_json other = theirs.contains(field) ? theirs[field] : nlohmann::ordered_json();
    if (value != other) return Difference{.field = field, .ours = value.dump(), .theirs = other.dump()};
  }
  return std::nullopt;
}

}  // namespace neuopt::cli::mpi
