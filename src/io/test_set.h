// Sets of unit-square instances: npz files (`locs`, `depot`, `demand`, `capacity`, `time_windows`, `service_time`,
// `cost`) and the pickled lists of the field.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// How much of a set is read.
struct ReadBounds {
  std::size_t instances = 0;  // the first so many; 0: all of them
  double memory = 0;          // bytes that they, or one array of the file, may take; 0: what is free
};

/// Reads a set; the content decides the format, not the name. Instances have Metric::unit; node 0 is the
/// depot where there is one, and the customers follow in the order of the file.
///
/// npz:    locs (B,N,2); for CVRP also depot (B,2), demand (B,N), capacity (B,) or a scalar; for VRPTW also
///         time_windows (B,N+1,2), the depot's first, and service_time (B,N), 0 where it is missing; optional cost
///         (B,).
/// pickle: TSP, a list of lists of (x, y); CVRP, a list of (depot, locs, demand, capacity), optionally followed by the
///         depot type, the customer type and the grid size that coordinates are divided by.
///
/// Throws InputError naming the file, the entry and the instance (counted from 0): wrong shapes, coordinates that are
/// not finite, a capacity that is not positive, a demand that is negative or above the capacity, a customer that cannot
/// be served in its window by a vehicle of its own, or more than the memory holds: a file may be a thousand times
/// smaller than what it stands for. Instances beyond the bound are not looked at.
std::vector<Instance> read_test_set(const std::string& path, const ReadBounds& bounds = {});
std::vector<Instance> parse_test_set(std::string bytes, const std::string& file, const ReadBounds& bounds = {});

/// The npz form: locs and depot as float32; demand, capacity and times as int32 where all are integers (else float64);
/// cost when every instance has one. Throws InputError unless all instances are of one kind and size and Metric::unit.
std::string format_test_set(const std::vector<Instance>& instances);
/// The same as a file. Throws InputError as well when nothing would read it, because of its size.
void write_test_set(const std::string& path, const std::vector<Instance>& instances);

}  // namespace neuopt
