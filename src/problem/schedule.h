// The day of a vehicle along its route, from the Instance alone: what the verifier judges and reports show. The search
// has its own clock (problem/route_clock.h), which nothing here uses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

struct ScheduledStop {
  int node = 0;
  double arrival = 0;
  double start = 0;      // of service: not before the window opens
  double departure = 0;  // after service
  double wait = 0;       // from arrival to start
  double load = 0;       // demands served so far, this one among them
  double late = 0;       // by how much service begins after the window has closed; 0: in time
};

struct RouteSchedule {
  double departure = 0;  // from the depot: as late as delays no service, not before the depot opens
  std::vector<ScheduledStop> stops;
  double back = 0;  // at the depot
  double late = 0;  // by how much it is back after the depot has closed; 0: in time
};

/// Units of time in one of the file in which all its times and distances are whole numbers; 0: there are none.
double whole_time_units(const Instance& instance);

/// Makes the schedules of an instance with time windows, which must outlive it. Where all times are whole numbers, or
/// whole tenths with distances cut after one decimal, everything is computed exactly, and late is late. Otherwise a
/// stop may be late by a millionth of the day without being called so. Who is late drives on from then: one late stop
/// may make all that follow late.
class Scheduler {
 public:
  explicit Scheduler(const Instance& instance);

  /// The schedule of a route of valid node indices. An empty route stays at the depot.
  RouteSchedule schedule(std::span<const int> route) const;

  /// A route in the better direction: fewer late stops, the return among them, then less lateness in all; as it is
  /// given when both are alike.
  std::vector<int> as_driven(std::vector<int> route) const;

  /// A route, and a route for each of its stops that made it late: what is left keeps to all windows, and everyone can
  /// be served alone (wrong_times).
  std::vector<std::vector<int>> in_time(std::vector<int> route) const;

  /// Why no vehicle can serve a node as its window and its service time say, even if it serves nobody else; "" when one
  /// can. Asked of the depot: what is wrong with the day.
  std::string wrong_times(int node) const;

 private:
  double units(double time) const;
  double time(double units) const { return units / scale_; }
  double lateness(double at, double closes) const;

  const Instance& instance_;
  bool exact_ = false;
  double scale_ = 1;      // units of time in one of the file, in which all times are whole numbers if exact
  double tolerance_ = 0;  // in units
};

}  // namespace neuopt
