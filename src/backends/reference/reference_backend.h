// The network as plain loops in double precision: slow, and the judge of every other backend.
#pragma once

#include <memory>

#include "policy/backend.h"

namespace neuopt::backends::reference {

/// `threads` is used by `evaluate`; 0: all the machine offers. Sessions have an option of their own.
std::unique_ptr<policy::Backend> make_reference_backend(int threads = 0);

}  // namespace neuopt::backends::reference
