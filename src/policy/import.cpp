// Weights under the names of the published checkpoints, without an architecture beside them: it follows from the
// shapes.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "io/torch_checkpoint.h"
#include "policy/model.h"

namespace neuopt::policy {
namespace {

/// Training on several devices puts "module." before the names of a network.
NamedTensors without_module(NamedTensors tensors) {
  NamedTensors result;
  for (auto& entry : tensors) {
    const std::string& name = entry.first;
    std::string plain = name;
    for (const std::string prefix : {"", "actor.", "critic."})
      if (name.starts_with(prefix + "module.")) plain = prefix + name.substr(prefix.size() + 7);
    result.emplace(std::move(plain), std::move(entry.second));
  }
  return result;
}

/// A file of our own says more than its tensors do, which would be lost.
NamedTensors foreign_tensors(SafeTensors content, const std::string& path) {
  const auto format = content.metadata.find("format");
  if (format != content.metadata.end() && format->second.starts_with("neuopt-"))
    throw InputError(path, 0,
                     format->second == "neuopt-model"
                         ? "a neuopt model already, which needs no import"
                         : "a file of neuopt's own (" + quote_bytes(format->second) + "), no published weights");
  return std::move(content.tensors);
}

NamedTensors read_weights(const std::string& path) {
  std::string bytes = read_file(path);
  if (path.ends_with(".npz")) {
    if (!bytes.starts_with("PK")) throw InputError(path, 0, "named .npz, but not a zip archive");
    return parse_npz(std::move(bytes), path);
  }
  if (is_torch_checkpoint(bytes)) return without_module(parse_torch_checkpoint(std::move(bytes), path));
  return foreign_tensors(parse_safetensors(bytes, path), path);
}

/// Extent of a dimension of a tensor that tells a size of the network.
int extent(const NamedTensors& tensors, const std::string& name, std::size_t dimension, const std::string& path) {
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw InputError(path, 0, "no policy weights under the published names: tensor " + name + " is missing");
  const Shape& shape = found->second.shape;
  if (dimension >= shape.size() || shape[dimension] < 1 || shape[dimension] > 1'000'000)
    throw InputError(path, 0, "tensor " + name + " has the unexpected shape " + shape_text(shape));
  return static_cast<int>(shape[dimension]);
}

ProblemKind problem_with(int features, const std::string& path) {
  std::string known;
  for (const ProblemKind kind : kProblemKinds) {
    if (traits(kind).features == features) return kind;
    known += fmt::format("{}{} ({})", known.empty() ? "" : " or ", traits(kind).features, traits(kind).name);
  }
  throw InputError(path, 0, fmt::format("{} node features, expected {}", features, known));
}

Architecture infer_architecture(const NamedTensors& tensors, const std::string& prefix, const std::string& path) {
  Architecture a;
  const int features = extent(tensors, prefix + "embedder.embedder.0.weight", 1, path);
  a.problem = problem_with(features, path);
  a.dim = extent(tensors, prefix + "embedder.embedder.2.weight", 0, path);
  a.heads = extent(tensors, prefix + "pos_encoder.W_query", 0, path);
  a.feed_forward = extent(tensors, prefix + "encoder.0.FFandNorm_sublayer.FF.0.weight", 0, path);
  a.layers = 1;
  while (tensors.contains(fmt::format("{}encoder.{}.FFandNorm_sublayer.FF.0.weight", prefix, a.layers))) ++a.layers;
  a.exploration_features = tensors.contains(prefix + "decoder.meta_linear.0.weight");
  return a;
}

/// A weight that the network does not know would mean another network.
void refuse_strangers(const NamedTensors& tensors, const std::string& prefix, const Weights& weights,
                      const std::string& path) {
  for (const auto& [name, tensor] : tensors) {
    const bool of_policy = prefix.empty() ? !name.starts_with("critic.") : name.starts_with(prefix);
    const auto same = [&, &full = name](const TensorSpec& spec) { return prefix + spec.name == full; };
    if (of_policy && std::none_of(weights.specs().begin(), weights.specs().end(), same))
      throw InputError(path, 0, "tensor " + name + " belongs to no network that neuopt knows");
  }
}

}  // namespace

Model import_tensors(const NamedTensors& tensors, int max_moves, const std::string& where) {
  const bool prefixed =
      std::any_of(tensors.begin(), tensors.end(), [](const auto& entry) { return entry.first.starts_with("actor."); });
  const std::string prefix = prefixed ? "actor." : "";
  Model model;
  model.architecture = infer_architecture(tensors, prefix, where);
  model.architecture.max_moves = max_moves;
  validate(model.architecture, where);
  model.weights = Weights(policy_tensors(model.architecture));
  model.weights.assign(tensors, prefix, where);
  refuse_strangers(tensors, prefix, model.weights, where);
  return model;
}

Model import_model(const std::string& path, int max_moves) {
  Model model = import_tensors(read_weights(path), max_moves, path);
  model.provenance["imported_from"] = path.substr(path.find_last_of('/') + 1);
  return model;
}

}  // namespace neuopt::policy
