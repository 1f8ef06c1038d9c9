#include "search/model_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "problem/size_rules.h"
#include "search/parts/search_by_parts.h"
#include "search/settings.h"

namespace neuopt::search {
namespace {

constexpr int kSizeOfParts = 100;           // trained size that is best for parts
constexpr int kLargestPolished = 100;       // trained size that is best for routes beside local search
constexpr double kFarSize = 2.5;            // ratio of sizes beyond which a note is due
constexpr double kFarRoute = 2;             // ratio of customers in a full route
constexpr double kMeanUniformDemand = 5.0;  // of demands 1..9, the training distribution

/// max(a/b, b/a).
double ratio(double a, double b) { return std::max(a / b, b / a); }

std::string list_names(std::span<const BundledModel> models) {
  if (models.empty()) return "this program was built without bundled models";
  std::string names = "bundled are";
  for (const BundledModel& model : models) names += fmt::format("{} {}", &model == &models[0] ? "" : ",", model.name);
  return names;
}

ChosenModel load_bundled(const BundledModel& bundled) {
  const std::string name(bundled.name);
  return {std::make_shared<policy::Model>(policy::parse_model(bundled.bytes, "bundled model " + name)), name};
}

/// Customers that a full vehicle serves.
double route_customers(const Instance& instance) {
  const double total = std::accumulate(instance.demand.begin(), instance.demand.end(), 0.0);
  return total > 0 ? instance.capacity * instance.customers() / total : 0;
}

}  // namespace

std::optional<ModelName> parse_model_name(std::string_view name) {
  const std::size_t letters = std::min(name.find_first_of("0123456789"), name.size());
  const std::optional<ProblemKind> problem = parse_problem(name.substr(0, letters));
  if (!problem) return std::nullopt;
  ModelName result{};
  result.problem = *problem;
  name.remove_prefix(letters);
  std::size_t digits = 0;
  while (digits < name.size() && std::isdigit(static_cast<unsigned char>(name[digits])) != 0) ++digits;
  const std::optional<long long> size = parse_integer(name.substr(0, digits));
  if (digits > 7 || !size || *size < 1) return std::nullopt;
  if (digits < name.size() && name[digits] != '-') return std::nullopt;
  result.size = static_cast<int>(*size);
  return result;
}

int wanted_size(const Instance& instance, const SolveOptions& options) {
  const int size = instance.customers();
  if (by_parts(instance, options)) return std::min(size, kSizeOfParts);
  return traits(instance.kind).depots && options.polish != 0 ? std::min(size, kLargestPolished) : size;
}

const BundledModel* nearest_model(std::span<const BundledModel> models, ProblemKind problem, int size) {
  const BundledModel* nearest = nullptr;
  double nearest_ratio = 0;
  int nearest_size = 0;
  for (const BundledModel& model : models) {
    const std::optional<ModelName> name = parse_model_name(model.name);
    if (!name || name->problem != problem) continue;
    const double distance = ratio(name->size, size);
    if (nearest != nullptr && (distance > nearest_ratio || (distance == nearest_ratio && name->size >= nearest_size)))
      continue;
    nearest = &model;
    nearest_ratio = distance;
    nearest_size = name->size;
  }
  return nearest;
}

ChosenModel load_named_model(const std::string& request, std::span<const BundledModel> bundled) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(request, unreadable)) {
    for (const BundledModel& model : bundled)
      if (model.name == request) return load_bundled(model);
    if (request.find('/') == std::string::npos && request.find('.') == std::string::npos)
      throw InputError(fmt::format("model {}: no such file or bundled model ({})", request, list_names(bundled)));
  }
  return {std::make_shared<policy::Model>(policy::load_model(request)), request};
}

const ChosenModel& ModelShelf::choose(ProblemKind problem, int size) {
  const BundledModel* nearest = nullptr;
  if (request_.empty()) {
    nearest = nearest_model(bundled_, problem, size);
    if (nearest == nullptr)
      throw InputError(fmt::format("no bundled model for the problem {} ({}); name a model file", problem_name(problem),
                                   list_names(bundled_)));
  }
  auto found = loaded_.find(nearest != nullptr ? nearest->name : std::string_view(request_));
  if (found == loaded_.end()) {
    ChosenModel chosen = nearest != nullptr ? load_bundled(*nearest) : load_named_model(request_, bundled_);
    std::string name = chosen.name;
    found = loaded_.emplace(std::move(name), std::move(chosen)).first;
  }
  try {
    check_model(found->second.model.get(), problem);
  } catch (const InputError& error) {
    throw InputError(fmt::format("model {}: {}", found->first, error.what()));
  }
  return found->second;
}

void note_distance(const policy::Model& model, const Instance& instance, const SolveOptions& options,
                   const WarningSink& note) {
  if (!note || model.trained_size <= 0) return;
  if (!by_parts(instance, options) && ratio(instance.customers(), model.trained_size) > kFarSize)
    note(fmt::format("the instance has {} {}, the model was trained on {}; the search will be slower to improve",
                     instance.customers(), traits(instance.kind).places, model.trained_size));
  if (!traits(instance.kind).demands) return;
  const double here = route_customers(instance);
  const double trained = uniform_capacity(model.trained_size) / kMeanUniformDemand;
  if (here > 0 && ratio(here, trained) > kFarRoute)
    note(fmt::format("a full vehicle serves about {:.0f} customers here and {:.0f} in the model's training", here,
                     trained));
}

}  // namespace neuopt::search
