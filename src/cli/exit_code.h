// How the programs end on an error.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/error.h"

namespace neuopt::cli {

enum ExitCode { kBadInput = 2, kResourceFailed = 3 };  // the jobs themselves return 0 and 1

inline ExitCode exit_code(const std::exception& error) {
  return dynamic_cast<const InputError*>(&error) != nullptr ? kBadInput : kResourceFailed;
}

inline std::string error_text(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what();
}

}  // namespace neuopt::cli
