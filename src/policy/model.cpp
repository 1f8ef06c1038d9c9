#include "policy/model.h"

#include <fmt/format.h>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/safetensors.h"

namespace neuopt::policy {
namespace {

constexpr const char* kFormat = "neuopt-model";
constexpr const char* kVersion = "1";
const std::string kProvenance = "provenance.";

using Metadata = std::map<std::string, std::string>;

/// Calls visit(key, field) for every integer and switch of the architecture; writing and reading share the list.
template <class ArchitectureType, class Visit>
void visit_fields(ArchitectureType& a, Visit&& visit) {
  visit("dim", a.dim);
  visit("heads", a.heads);
  visit("layers", a.layers);
  visit("feed_forward", a.feed_forward);
  visit("max_moves", a.max_moves);
  visit("exploration_features", a.exploration_features);
  visit("violation_features", a.violation_features);
  visit("recurrent", a.recurrent);
  visit("move_stream", a.move_stream);
  visit("edge_stream", a.edge_stream);
  visit("random_start_move", a.random_start_move);
  visit("fixed_k", a.fixed_k);
}

/// Of the metadata (but the checksum itself) and of every tensor, so that no damaged byte goes unseen.
std::string checksum_of(const SafeTensors& content) {
  Checksum checksum;
  for (const auto& [key, value] : content.metadata)
    if (key != "checksum") checksum.add(fmt::format("{}={}\n", key, value));
  for (const auto& [name, tensor] : content.tensors) {
    checksum.add(name + shape_text(tensor.shape) + dtype_name(tensor.dtype));
    checksum.add(tensor.bytes.data(), tensor.bytes.size());
  }
  return fmt::format("fnv1a64:{:016x}", checksum.value());
}

const std::string& required(const Metadata& metadata, const std::string& key, const std::string& path) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw InputError(path, 0, "damaged model: its metadata have no '" + key + "'");
  return found->second;
}

int read_integer(const Metadata& metadata, const std::string& key, const std::string& path) {
  const std::string& text = required(metadata, key, path);
  const std::optional<long long> value = parse_integer(text);
  if (!value || *value < 0 || *value > 1'000'000'000)
    throw InputError(path, 0, "damaged model: '" + key + "' is " + quote_bytes(text) + ", expected a whole number");
  return static_cast<int>(*value);
}

bool read_switch(const Metadata& metadata, const std::string& key, const std::string& path) {
  const std::string& text = required(metadata, key, path);
  if (text != "true" && text != "false")
    throw InputError(path, 0, "damaged model: '" + key + "' is " + quote_bytes(text) + ", expected true or false");
  return text == "true";
}

Architecture read_architecture(const Metadata& metadata, const std::string& path) {
  Architecture architecture;
  const std::string& problem = required(metadata, "problem", path);
  const std::optional<ProblemKind> kind = parse_problem(problem);
  if (!kind)
    throw InputError(path, 0, fmt::format("unknown problem {}, expected {}", quote_bytes(problem), kProblemNames));
  architecture.problem = *kind;
  visit_fields(architecture, [&](const std::string& key, auto& field) {
    if (key == "violation_features" && !metadata.contains(key)) return;  // older models all saw them
    if constexpr (std::is_same_v<decltype(field), bool&>)
      field = read_switch(metadata, key, path);
    else
      field = read_integer(metadata, key, path);
  });
  validate(architecture, path);
  return architecture;
}

Metadata write_metadata(const Model& model) {
  Metadata metadata{{"format", kFormat}, {"version", kVersion}};
  metadata["problem"] = problem_name(model.architecture.problem);
  visit_fields(model.architecture,
               [&](const char* key, const auto& field) { metadata[key] = fmt::format("{}", field); });
  metadata["trained_size"] = std::to_string(model.trained_size);
  for (const auto& [key, value] : model.provenance) metadata[kProvenance + key] = value;
  return metadata;
}

/// Refuses a file that is no model of ours, or is one that was altered.
void check_identity(const SafeTensors& content, const std::string& path) {
  const auto format = content.metadata.find("format");
  if (format == content.metadata.end() || format->second != kFormat)
    throw InputError(path, 0,
                     "a safetensors file, but not a neuopt model (its metadata lack format=neuopt-model); "
                     "'neuopt import' turns published weights into one");
  const std::string& version = required(content.metadata, "version", path);
  if (version != kVersion)
    throw InputError(path, 0, "model of version " + quote_bytes(version) + ", this program reads version " + kVersion);
  const std::string& expected = required(content.metadata, "checksum", path);
  const std::string actual = checksum_of(content);
  if (actual != expected)
    throw InputError(path, 0, "damaged model: the checksum is " + actual + ", the file says " + quote_bytes(expected));
}

}  // namespace

Model load_model(const std::string& path) { return parse_model(read_file(path), path); }

Model parse_model(std::string_view bytes, const std::string& path) {
  const SafeTensors content = parse_safetensors(bytes, path);
  check_identity(content, path);
  Model model;
  model.architecture = read_architecture(content.metadata, path);
  model.trained_size = read_integer(content.metadata, "trained_size", path);
  model.checksum = content.metadata.at("checksum");
  for (const auto& [key, value] : content.metadata)
    if (key.starts_with(kProvenance)) model.provenance[key.substr(kProvenance.size())] = value;
  model.weights = Weights(policy_tensors(model.architecture));
  model.weights.assign(content.tensors, "", path);
  return model;
}

void save_model(const std::string& path, const Model& model) {
  SafeTensors content{model.weights.tensors(""), write_metadata(model)};
  content.metadata["checksum"] = checksum_of(content);
  write_safetensors(path, content);
}

}  // namespace neuopt::policy
