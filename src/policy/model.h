// A model: the policy network's architecture and weights with where they come from. Files are safetensors; the
// architecture, the provenance and a checksum of the tensors are in the metadata.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "policy/architecture.h"
#include "policy/weights.h"

namespace neuopt::policy {

struct Model {
  Architecture architecture;
  Weights weights;                                // of policy_tensors(architecture)
  int trained_size = 0;                           // customers (TSP: nodes) it was trained for; 0 when unknown
  std::map<std::string, std::string> provenance;  // free text: config, batches, seed, validation, date, ...
  std::string checksum;                           // of the file it was read from; empty for one made here
};

/// In what two networks differ, as in "dim 128 and 32, layers 3 and 2"; empty for equal ones.
std::string differences(const Architecture& one, const Architecture& other);

/// Reads a model. A file that is damaged, truncated or not a model gets an InputError that says which.
Model load_model(const std::string& path);
/// The same for the bytes of a file; `where` names them in messages.
Model parse_model(std::string_view bytes, const std::string& where);
void save_model(const std::string& path, const Model& model);

/// Turns weights under the names of the published checkpoints (a PyTorch .pt, npz or safetensors; with or without the
/// prefix "actor.") into a model; the architecture is inferred from the shapes, K is given (it has no tensor).
/// Throws InputError for files of our own, which say both.
Model import_model(const std::string& path, int max_moves);
/// The same for tensors already read; errors start with `where`.
Model import_tensors(const NamedTensors& tensors, int max_moves, const std::string& where);

}  // namespace neuopt::policy
