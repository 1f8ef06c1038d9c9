// The days of a solution's vehicles, for reports.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "problem/instance.h"

namespace neuopt::cli {

/// Adds "schedule" to an object, where there are time windows: for each route that is not empty, in the order of
/// put_routes, when the vehicle leaves the depot and is back, how long it waits in all, and its stops.
void put_schedule(nlohmann::ordered_json& object, const Instance& instance, const Solution& solution);

/// Adds "rounding" to an object: that of all instances, or "mixed"; nothing when distances are no rounded Euclidean
/// ones.
void put_rounding(nlohmann::ordered_json& object, std::span<const Instance> instances);

}  // namespace neuopt::cli
