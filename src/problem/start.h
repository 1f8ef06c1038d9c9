// Initial solutions of the search, and the way from solutions to tours and back.
//
// A tour is the vector `order` of all search nodes by position, order[0] == 0. Its orientation matters: positions are
// network input. With depots, route r is started by depot r, depots of empty routes come last.
#pragma once

#include <span>
#include <vector>

#include "problem/normalize.h"

namespace neuopt {

/// The tour of a given solution over the nodes of the Instance. Throws InputError when it does not visit every
/// customer once, lacks a fixed edge or has more routes than there are depots (ask make_search_instance for more).
/// Loads are not checked: the search may start from an infeasible solution.
std::vector<int> start_from(const SearchInstance& instance, const Solution& solution);

/// A tour that has the fixed edges, from one that may lack some: their chains as wholes, in the order of the nodes of
/// each that come first. Node 0 comes first again.
std::vector<int> with_fixed_edges(const SearchInstance& instance, std::vector<int> order);

/// Whether a vehicle that drives to these search nodes, one way or the other, is nowhere late (VRPTW).
bool in_time(const SearchInstance& instance, std::span<const int> route);

/// Search nodes cut into routes in the order they come: a new one whenever the next customer would overload the vehicle
/// or find it late, there or back. In a problem without depots there is one route.
std::vector<std::vector<int>> cut_to_fit(const SearchInstance& instance, std::span<const int> customers);

/// Routes of search nodes as a solution over the nodes of the Instance.
Solution solution_of(const SearchInstance& instance, std::vector<std::vector<int>> routes);

/// The solution of a tour; empty routes are left out. TSP: one route that begins at node 0. VRPTW: routes as they are
/// driven, see env/problems/vrptw.h.
/// to_solution(start_from(s)) is s without its empty routes (TSP: s turned to begin at node 0).
Solution to_solution(const SearchInstance& instance, std::span<const int> order);

}  // namespace neuopt
