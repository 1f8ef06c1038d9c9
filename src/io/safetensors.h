// The safetensors format: a JSON header with types, shapes and offsets, then the bytes.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/tensor.h"

namespace neuopt {

struct SafeTensors {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;  // the header's __metadata__
};

/// Throws InputError, naming the file and the tensor, on anything the format does not allow: offsets outside the file,
/// gaps or overlaps, sizes that do not fit the shape, a name twice.
SafeTensors read_safetensors(const std::string& path);
SafeTensors parse_safetensors(std::string_view bytes, const std::string& file);

/// The bytes of a file: tensors in the order of their names, header padded to 8 bytes. The same content gives the
/// same bytes.
std::string format_safetensors(const SafeTensors& content);
void write_safetensors(const std::string& path, const SafeTensors& content);

}  // namespace neuopt
