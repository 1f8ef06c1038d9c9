// Files of JSON lines: one object on each line.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace neuopt {

/// Calls `take(object, line)` for every line that is not empty, lines counted from 1. A last line without its end may
/// be cut off and is left out when it does not parse. Throws InputError with file and line when a line holds no object,
/// or when `take` reads a member that is missing or of another type.
void for_each_json_line(std::string_view bytes, const std::string& filename,
                        const std::function<void(const nlohmann::json& object, long line)>& take);

/// The object that a line holds; nothing when it holds anything else or is cut off.
std::optional<nlohmann::json> json_object_in(std::string_view line);

/// One JSON object, the whole of `bytes`. Throws InputError when it is none.
nlohmann::json parse_json_object(std::string_view bytes, const std::string& filename);

/// A member that is a number; nothing when it is missing or anything else.
std::optional<double> number_at(const nlohmann::json& object, const std::string& name);

/// A member that is a whole number between two limits; nothing when it is missing or anything else.
std::optional<long> whole_number_at(const nlohmann::json& object, const std::string& name, long low, long high);

}  // namespace neuopt
