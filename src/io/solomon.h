// Solomon's text files of the VRPTW: a table of the vehicles and one of the customers.
//
//   C101
//
//   VEHICLE
//   NUMBER     CAPACITY
//     25         200
//
//   CUSTOMER
//   CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME
//
//       0      40       50        0        0         1236        0
//       1      45       68       10      912          967       90
#pragma once

#include <string>
#include <string_view>

#include "io/file_overrides.h"

namespace neuopt {

/// Whether a text begins like such a file; its first few lines suffice.
bool looks_like_solomon(std::string_view bytes);

/// Reads one. Node 0 is the depot, and customers have the numbers of the file. NUMBER bounds the routes. Distances are
/// cut after one decimal, as all published costs of these files are, unless another rounding is asked for. Throws
/// InputError with file and line: what is no number, a customer that no vehicle can serve.
Instance parse_solomon(std::string_view bytes, const std::string& filename, const FileOverrides& overrides = {});

/// The instance as such a file: the depot, then the customers in the order of the instance. It reads back identically,
/// but for comment and reference_cost, the depot's place, a bound on vehicles, which becomes the number of customers
/// where there is none, and a name that the first line of a file cannot be, which is left out. Throws InputError when
/// it has no time windows, or when its distances are not cut after one decimal, which the format cannot state.
std::string write_solomon(const Instance& instance);

}  // namespace neuopt
