// All problems, for code that is compiled once for each. What a problem is, is described by its structure:
//
//   traits                its row in the table of problem/problem_kind.h
//   Node                  what the search knows of a node besides its place; node() makes it, epsilon() and demand()
//                         belong to it
//   Route                 what a walk along the tour leaves at each node
//   walk()                fills the Routes of a tour and returns its violation, 0 when it is feasible; all lanes get it
//   write_features()      the node features after x and y
//   write_start()         the start of the paper's protocol, into order; scratch has as many places
//
// Both Node and Route are plain data; arrays of them are allocated by bytes, none where the structure is empty.
#pragma once

#include <cstdlib>
#include <type_traits>
#include <utility>

#include "env/problems/cvrp.h"
#include "env/problems/tsp.h"
#include "env/problems/vrptw.h"

namespace neuopt::env {

template <class Problem>
inline constexpr bool kConstrained = Problem::traits.constrained;

template <class Problem>
inline constexpr int kFeatures = Problem::traits.features;

/// Bytes of one element in an array of T.
template <class T>
inline constexpr std::size_t kStoredBytes = std::is_empty_v<T> ? 0 : sizeof(T);

/// Calls work(Problem{}) for the problem of a kind.
template <class Work>
decltype(auto) for_problem(ProblemKind kind, Work&& work) {
  switch (kind) {
    case ProblemKind::tsp:
      return std::forward<Work>(work)(Tsp{});
    case ProblemKind::cvrp:
      return std::forward<Work>(work)(Cvrp{});
    case ProblemKind::vrptw:
      return std::forward<Work>(work)(Vrptw{});
  }
  std::abort();  // no such kind
}

/// Bytes that a node takes in the arrays of a problem.
struct NodeBytes {
  std::size_t node, route;
};

inline NodeBytes node_bytes(ProblemKind kind) {
  return for_problem(kind, [](auto problem) {
    using Problem = decltype(problem);
    return NodeBytes{kStoredBytes<typename Problem::Node>, kStoredBytes<typename Problem::Route>};
  });
}

}  // namespace neuopt::env
