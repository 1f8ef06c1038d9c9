// Damaging samples of the binary formats, and the judge of what a reader may do with them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "support/input_error.h"

namespace neuopt {

inline std::string sample_path(const std::string& name) { return std::string(NEUOPT_TEST_DATA) + "/io/" + name; }
inline std::string sample_bytes(const std::string& name) { return read_file(sample_path(name)); }

/// Every proper prefix of the bytes must be refused.
inline void expect_truncations_refused(const std::string& bytes, const std::function<void(const std::string&)>& parse) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(parse(bytes.substr(0, size)), InputError) << "cut at byte " << size << " of " << bytes.size();
}

/// Every change of a single byte must end in a value or an InputError; returns how many gave a value.
inline int count_accepted_changes(const std::string& bytes, const std::function<void(const std::string&)>& parse) {
  int accepted = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    for (int difference = 1; difference < 256; ++difference) {
      changed[i] = static_cast<char>(bytes[i] ^ difference);
      try {
        parse(changed);
        ++accepted;
      } catch (const InputError&) {
      }
    }
  }
  return accepted;
}

}  // namespace neuopt
