// Backends by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/backend.h"

namespace neuopt::backends {

/// What this build offers on this machine, the best first.
std::vector<std::string> backend_names();

/// A backend of this build that cannot run on this machine.
struct UnusableBackend {
  std::string name, reason;
  bool expected;  // its hardware seems to be there: that it is passed over deserves a word
};
std::vector<UnusableBackend> unusable_backends();

/// `threads` and `precision` are for `evaluate`; 0: all the machine offers; "": the one for comparisons. Throws
/// InputError when there is no backend of that name or it has no such precision, ResourceError when it cannot run here.
std::unique_ptr<policy::Backend> make_backend(const std::string& name, int threads = 0,
                                              const std::string& precision = "");

}  // namespace neuopt::backends
