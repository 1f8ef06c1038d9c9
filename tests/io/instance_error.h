// What a reader says of a text that is no instance.
#pragma once

#include <string>

#include "core/error.h"
#include "io/tsplib.h"

namespace neuopt::test {

/// The message of the InputError that parsing ends in; empty when it succeeds.
inline std::string instance_error(const std::string& text, const FileOverrides& overrides = {}) {
  try {
    parse_instance(text, "file", {}, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace neuopt::test
