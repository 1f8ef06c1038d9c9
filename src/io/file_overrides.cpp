#include "io/file_overrides.h"

#include <fmt/format.h>

#include "core/error.h"
#include "problem/rounding.h"

namespace neuopt {

void FileOverrides::bound_vehicles(Instance& instance, const std::string& file) const {
  if (vehicles == 0) return;
  if (const ProblemTraits problem = traits(instance.kind); !problem.depots)
    throw InputError(file, 0, fmt::format("a bound on the vehicles is given, but a {} has none", problem.label));
  instance.vehicles = vehicles;
}

void FileOverrides::check_rounding(const Instance& instance, const std::string& file, const std::string& stated) const {
  if (rounding && *rounding != instance.metric)
    throw InputError(
        file, 0,
        fmt::format("rounding {} is for distances of type EUC_2D, found {}", rounding_name(*rounding), stated));
}

}  // namespace neuopt
