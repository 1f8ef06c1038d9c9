// How the library tells that something was unusual but not wrong.
#pragma once

#include <functional>
#include <string>

namespace neuopt {

/// Receives each warning as one complete sentence without a line end. An empty function discards them.
using WarningSink = std::function<void(const std::string&)>;

}  // namespace neuopt
