// Backends by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/backend.h"

namespace neuopt::backends {

/// What this build offers, the best first.
std::vector<std::string> backend_names();

/// `threads`: for `evaluate`; 0: all the machine offers. Throws InputError when there is no backend of that name.
std::unique_ptr<policy::Backend> make_backend(const std::string& name, int threads = 0);

}  // namespace neuopt::backends
