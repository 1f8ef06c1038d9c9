// The backend for the device that the user names.
#pragma once

#include <memory>
#include <string>

#include "core/warning.h"
#include "policy/backend.h"

namespace neuopt::search {

/// auto: the best backend of this build that works here; else cpu, cuda or reference (plain loops in double, slow).
/// Throws ResourceError when the device is not there, InputError when the name means nothing.
/// `note` is told when auto passes over a device of this build that cannot be used here.
std::unique_ptr<policy::Backend> open_device(const std::string& device, const WarningSink& note = {});

}  // namespace neuopt::search
