#include "io/json_lines.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace neuopt {
namespace {

/// Deeper nesting than anything of ours has would only exhaust the stack. Brackets inside strings nest nothing.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '\\' && quoted) ++i;  // what follows is no quote
    if (quoted) continue;
    if (c == '{' || c == '[') ++depth;
    if (depth > 64) return true;
    if (c == '}' || c == ']') --depth;
  }
  return false;
}

nlohmann::json parse(std::string_view text) {
  if (too_deep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

void for_each_json_line(std::string_view bytes, const std::string& filename,
                        const std::function<void(const nlohmann::json& object, long line)>& take) {
  for (long line = 1; !bytes.empty(); ++line) {
    const std::size_t end = bytes.find('\n');
    const std::string_view text = bytes.substr(0, end);
    const bool complete = end != std::string_view::npos;
    bytes.remove_prefix(complete ? end + 1 : bytes.size());
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const nlohmann::json object = parse(text);
    if (object.is_discarded() && !complete) return;
    if (!object.is_object()) throw InputError(filename, line, quote_bytes(text) + ", expected a JSON object");
    try {
      take(object, line);
    } catch (const nlohmann::json::exception& error) {
      throw InputError(filename, line, "unexpected content: " + printable_text(error.what()));
    }
  }
}

std::optional<nlohmann::json> json_object_in(std::string_view line) {
  nlohmann::json object = parse(line);
  return object.is_object() ? std::optional(std::move(object)) : std::nullopt;
}

nlohmann::json parse_json_object(std::string_view bytes, const std::string& filename) {
  nlohmann::json object = parse(bytes);
  if (!object.is_object()) throw InputError(filename, 0, quote_bytes(bytes) + ", expected one JSON object");
  return object;
}

std::optional<double> number_at(const nlohmann::json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<long> whole_number_at(const nlohmann::json& object, const std::string& name, long low, long high) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer() || *found < low || *found > high) return std::nullopt;
  return found->get<long>();
}

}  // namespace neuopt
