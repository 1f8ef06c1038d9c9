// What a caller says about instances in place of what their files say.
#pragma once

#include <optional>
#include <string>

#include "problem/instance.h"

namespace neuopt {

struct FileOverrides {
  std::optional<Metric> rounding = {};  // of EUC_2D distances (problem/rounding.h)
  int vehicles = 0;                     // most routes of a solution; 0: as the file says

  /// Bounds the vehicles of an instance that was read. Throws InputError naming the file when it has none.
  void bound_vehicles(Instance& instance, const std::string& file) const;

  /// Throws InputError naming the file unless its distances are rounded as asked for, whatever is said here: `stated`
  /// is what it calls them.
  void check_rounding(const Instance& instance, const std::string& file, const std::string& stated) const;
};

}  // namespace neuopt
