#include "policy/model.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/sealed_file.h"

namespace neuopt::policy {
namespace {

constexpr SealedKind kKind{.name = "model",
                           .format = "neuopt-model",
                           .version = "1",
                           .stranger =
                               "a safetensors file, but not a neuopt model (its metadata lack "
                               "format=neuopt-model); 'neuopt import' turns published weights into one"};
const std::string kProvenance = "provenance.";

/// Calls visit(key, field) for every integer and switch of the architecture; writing and reading share the list.
template <class ArchitectureType, class Visit>
void visit_fields(ArchitectureType& a, Visit&& visit) {
  visit("dim", a.dim);
  visit("heads", a.heads);
  visit("layers", a.layers);
  visit("feed_forward", a.feed_forward);
  visit("max_moves", a.max_moves);
  visit("logit_bound", a.logit_bound);
  visit("exploration_features", a.exploration_features);
  visit("violation_features", a.violation_features);
  visit("prospects", a.prospects);
  visit("foresight", a.foresight);
  visit("recurrent", a.recurrent);
  visit("move_stream", a.move_stream);
  visit("edge_stream", a.edge_stream);
  visit("random_start_move", a.random_start_move);
  visit("fixed_k", a.fixed_k);
  visit("masking", a.masking);
}

Architecture read_architecture(const SealedFile& file, const std::string& path) {
  Architecture architecture;
  const std::string& problem = file.text("problem");
  const std::optional<ProblemKind> kind = parse_problem(problem);
  if (!kind)
    throw InputError(path, 0, fmt::format("unknown problem {}, expected {}", quote_bytes(problem), kProblemNames));
  architecture.problem = *kind;
  visit_fields(architecture, [&](const std::string& key, auto& field) {
    // Older models all saw the violations, none was masked, told prospects or looked far ahead, and their logits have
    // the paper's bound.
    const bool may_miss = key == "violation_features" || key == "masking" || key == "logit_bound" ||
                          key == "prospects" || key == "foresight";
    if (may_miss && !file.metadata().contains(key)) return;
    if constexpr (std::is_same_v<decltype(field), bool&>)
      field = file.flag(key);
    else
      field = file.whole(key);
  });
  validate(architecture, path);
  return architecture;
}

std::map<std::string, std::string> fields_of(const Architecture& architecture) {
  std::map<std::string, std::string> fields{{"problem", problem_name(architecture.problem)}};
  visit_fields(architecture, [&](const char* key, const auto& field) { fields[key] = fmt::format("{}", field); });
  return fields;
}

std::map<std::string, std::string> write_metadata(const Model& model) {
  std::map<std::string, std::string> metadata = fields_of(model.architecture);
  metadata["trained_size"] = std::to_string(model.trained_size);
  for (const auto& [key, value] : model.provenance) metadata[kProvenance + key] = value;
  return metadata;
}

}  // namespace

std::string differences(const Architecture& one, const Architecture& other) {
  std::string text;
  const std::map<std::string, std::string> others = fields_of(other);
  for (const auto& [key, value] : fields_of(one))
    if (value != others.at(key))
      text += fmt::format("{}{} {} and {}", text.empty() ? "" : ", ", key, value, others.at(key));
  return text;
}

Model load_model(const std::string& path) { return parse_model(read_file(path), path); }

Model parse_model(std::string_view bytes, const std::string& path) {
  const SealedFile file = SealedFile::parse(bytes, path, kKind);
  Model model;
  model.architecture = read_architecture(file, path);
  model.trained_size = file.whole("trained_size");
  model.checksum = file.text("checksum");
  for (const auto& [key, value] : file.metadata())
    if (key.starts_with(kProvenance)) model.provenance[key.substr(kProvenance.size())] = value;
  model.weights = Weights(policy_tensors(model.architecture));
  model.weights.assign(file.tensors(), "", path);
  return model;
}

void save_model(const std::string& path, const Model& model) {
  write_sealed_file(path, {model.weights.tensors(""), write_metadata(model)}, kKind);
}

}  // namespace neuopt::policy
