#include "io/keyword_warnings.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"

namespace neuopt {

KeywordWarnings::KeywordWarnings(WarningSink sink, std::string file) : sink_(std::move(sink)), file_(std::move(file)) {}

void KeywordWarnings::unknown(std::string_view keyword, long line) {
  constexpr std::size_t most = 30;
  if (!sink_ || reported_.size() > most || reported_.contains(keyword)) return;
  const bool last = reported_.size() == most;
  reported_.emplace(keyword);
  if (last) {
    sink_(fmt::format("{}:{}: more unknown keywords follow and are ignored", file_, line));
  } else {
    sink_(fmt::format("{}:{}: the keyword {} is not known and ignored", file_, line, quote_bytes(keyword)));
  }
}

}  // namespace neuopt
