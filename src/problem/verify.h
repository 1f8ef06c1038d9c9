// The independent judge of instances and solutions. It shares no code with the search: only Instance and its distance.
#pragma once

#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// Findings beyond this number are counted, not listed, but for those of times: all of them are.
inline constexpr int kMaxFindings = 20;

/// A customer that is reached after its window has closed, or a vehicle that is back after the depot has.
struct LateStop {
  int route = 0;
  int node = 0;   // the depot: the return
  double by = 0;  // how much, in the units of the file
};

/// How findings number nodes and routes.
enum class Numbering {
  files,    // from 1: customers without the depot (.sol), the nodes of a TSP (.tour)
  indices,  // from 0: nodes as Instance and Solution hold them, the depot among them
};

struct Verdict {
  bool feasible = false;
  double cost = 0;                    // by the file's convention; 0 when a node index is invalid
  std::vector<double> loads;          // of each route, empty ones included (not TSP)
  std::vector<int> overloaded;        // indices of the routes over capacity
  std::vector<LateStop> late;         // in the order of the routes (VRPTW only)
  std::vector<std::string> findings;  // what is wrong, in words
};

/// The first reason why it is no solution at all, whatever its loads and times: a node that is missing, visited twice
/// or none, several tours where one is expected, a fixed edge left out. Empty when there is none.
std::string incompleteness(const Instance& instance, const Solution& solution);

/// How far a load may exceed the capacity: nothing for whole numbers, else 1e-5 of the capacity.
double load_tolerance(const Instance& instance);

/// Checks a solution: every node once, valid indices, every fixed edge there, no route over capacity, no more routes
/// than vehicles, every stop and return in time (problem/schedule.h). Whole-numbered demands and capacity are compared
/// exactly, others with the field's tolerance of 1e-5 of the capacity; times likewise, with one of 1e-6 of the day.
/// Never throws on a wrong solution.
Verdict verify(const Instance& instance, const Solution& solution, Numbering numbering = Numbering::files);

struct Diagnosis {
  bool solvable = false;              // nothing shows that there is no feasible solution
  double total_demand = 0;            // not TSP
  int vehicles_bound = 0;             // fewest vehicles that any feasible solution needs, a lower bound (not TSP)
  int duplicate_points = 0;           // nodes at the place of an earlier node
  std::vector<std::string> findings;  // reasons against solvability first, then remarks
};

/// Looks at an instance before it is solved.
Diagnosis diagnose(const Instance& instance);

/// Fewer vehicles than this cannot carry the demands, which must lie between 0 and the capacity.
int fewest_vehicles(const Instance& instance);

/// Fewest bins that items can need: the larger of ceil(total / capacity) and the bound L2 of Martello and Toth (1990).
/// Items must lie in [0, capacity].
int bin_packing_bound(std::vector<double> items, double capacity);

}  // namespace neuopt
