// Any bytes are settings or an InputError; what was read is written and read back without a change.
#include "io/settings_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"

namespace {

using namespace neuopt;

std::string written(const std::vector<SettingLine>& settings) {
  std::string text;
  for (const SettingLine& setting : settings) {
    text += setting.key + " = [";
    for (const std::string& value : setting.values) text += quoted_setting(value) + ", ";
    text += "]\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string first;
  try {
    first = written(parse_settings({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const InputError&) {
    return 0;
  }
  if (written(parse_settings(first, "written")) != first) std::abort();
  return 0;
}
