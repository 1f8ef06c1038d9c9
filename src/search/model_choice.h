// Which model solves an instance: the one that the user names, else the bundled one trained nearest to the size that
// the search wants.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/warning.h"
#include "policy/model.h"
#include "problem/instance.h"
#include "search/bundled_models.h"
#include "search/solve.h"

namespace neuopt::search {

/// What a name like "cvrp100" or "tsp50-k6" says; nothing when it is not of that form.
struct ModelName {
  ProblemKind problem;
  int size;  // trained size
};
std::optional<ModelName> parse_model_name(std::string_view name);

/// The size on which a model for this search should have been trained: the instance's, but of a part where an instance
/// is searched by parts. With routes and local search larger models end behind those of 100 nodes.
int wanted_size(const Instance& instance, const SolveOptions& options);

/// The model of the problem whose trained size is nearest by ratio (the smaller on a tie); null when there is none.
const BundledModel* nearest_model(std::span<const BundledModel> models, ProblemKind problem, int size);

/// A loaded model and what to call it in reports: the path, or the bundled name.
struct ChosenModel {
  std::shared_ptr<const policy::Model> model;
  std::string name;
};

/// The model in a file of that name, else the bundled one. Throws InputError when there is neither.
ChosenModel load_named_model(const std::string& request, std::span<const BundledModel> bundled = bundled_models());

/// The models that instances need, each loaded once and kept.
class ModelShelf {
 public:
  /// `request` is a path or the name of a bundled model, or empty for the bundled one nearest to each size.
  explicit ModelShelf(std::string request, std::span<const BundledModel> bundled = bundled_models())
      : request_(std::move(request)), bundled_(bundled) {}

  /// One model alone: the bytes of its file, and what to call it. Throws InputError when they are not a model's.
  static ModelShelf of_bytes(std::string_view bytes, const std::string& name) {
    ModelShelf shelf(name.empty() ? "model" : name, {});
    shelf.loaded_[shelf.request_] = {std::make_shared<policy::Model>(policy::parse_model(bytes, shelf.request_)),
                                     shelf.request_};
    return shelf;
  }

  /// The model for instances like that. Throws InputError when there is no such model, none is bundled, or it is for
  /// another problem.
  const ChosenModel& choose(ProblemKind problem, int size);

 private:
  std::string request_;
  std::span<const BundledModel> bundled_;
  std::map<std::string, ChosenModel, std::less<>> loaded_;  // by name
};

/// Notes where the instance lies far from what the model was trained on: its size, unless it is searched by parts, or
/// the customers of a full route.
void note_distance(const policy::Model& model, const Instance& instance, const SolveOptions& options,
                   const WarningSink& note);

}  // namespace neuopt::search
