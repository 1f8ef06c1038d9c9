// Looking into texts and changing them.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace neuopt::test {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The text with the first `from` replaced; fails the test when there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no " << from;
    return text;
  }
  return text.replace(at, from.size(), to);
}

}  // namespace neuopt::test
