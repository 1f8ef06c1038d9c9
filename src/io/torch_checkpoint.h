// PyTorch's checkpoints (.pt): a zip archive of a pickle, data.pkl, and of the tensors' bytes, data/0, data/1, ...
// Nothing in them is executed: the calls that would rebuild tensors are read as descriptions, everything else is passed
// over.
#pragma once

#include <string>
#include <string_view>

#include "io/tensor.h"

namespace neuopt {

/// True when the bytes begin like a checkpoint of PyTorch, of its present format or of one before 1.6.
bool is_torch_checkpoint(std::string_view bytes);

/// The tensors of a state_dict, or of a dictionary of state_dicts as NAME.TENSOR ("actor.embedder.0.weight"). Tensors
/// deeper in (the state of an optimizer) and those of other element types than a Tensor's are left out. Throws
/// InputError, starting with `file`, when the file is damaged, of an old format or not of this kind.
NamedTensors parse_torch_checkpoint(std::string bytes, const std::string& file);

}  // namespace neuopt
