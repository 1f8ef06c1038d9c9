// The backend for the device that the user names.
#pragma once

#include <memory>
#include <string>

#include "policy/backend.h"

namespace neuopt::search {

/// auto: the best backend of this build that works here; else cpu, cuda or reference (plain loops in double, slow).
/// Throws ResourceError when the device is not there, InputError when the name means nothing.
std::unique_ptr<policy::Backend> open_device(const std::string& device, int threads = 0);

}  // namespace neuopt::search
