// Warns of each unknown keyword of a text file once.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "core/warning.h"

namespace neuopt {

class KeywordWarnings {
 public:
  /// An empty sink discards the warnings.
  KeywordWarnings(WarningSink sink, std::string file);

  /// Reports that the keyword is not known and ignored, unless it was reported before. A file with very many unknown
  /// keywords is no file of this format: after a few dozen the rest is passed over in silence, and said so.
  void unknown(std::string_view keyword, long line);

 private:
  WarningSink sink_;
  std::string file_;
  std::set<std::string, std::less<>> reported_;
};

}  // namespace neuopt
