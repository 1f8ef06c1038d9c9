// Instances to begin with: those of examples/, built into the program with their best known solutions.
#pragma once

#include <optional>
#include <string_view>

#include "problem/instance.h"

namespace neuopt::viewer {

struct Example {
  Instance instance;  // with its reference cost
  Solution best;
};

/// The example of that name ("cvrp100"), or nothing.
std::optional<Example> find_example(std::string_view name);

}  // namespace neuopt::viewer
