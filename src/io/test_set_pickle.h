// The pickled sets of the field, as part of test_set.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/test_set.h"
#include "problem/instance.h"

namespace neuopt {

/// The instances of a pickled list; see read_test_set for its forms and bounds.
std::vector<Instance> parse_pickled_set(std::string_view bytes, const std::string& file, const ReadBounds& bounds);

}  // namespace neuopt
