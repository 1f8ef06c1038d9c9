// The kinds of problem, in one place: what each is called and what it has. To add one, begin here; the compiler then
// names the switches and assertions that must learn of it, and CONTRIBUTING.md the few other places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace neuopt {

enum class ProblemKind { tsp, cvrp, vrptw };

inline constexpr std::array kProblemKinds{ProblemKind::tsp, ProblemKind::cvrp, ProblemKind::vrptw};

/// Whether there are so many problems. Code that knows them all without a `switch` asserts it, so that the compiler
/// names that code, too, when one is added.
constexpr bool written_for(std::size_t problems) { return problems == kProblemKinds.size(); }

struct ProblemTraits {
  const char* name;             // in files, options and reports
  const char* label;            // in sentences
  const char* places;           // what its size counts
  bool depots;                  // vehicles begin and end at a depot; otherwise there is one closed tour
  bool demands;                 // nodes have demands, and every vehicle a capacity
  bool windows;                 // nodes have time windows and service times
  bool constrained;             // a tour may be infeasible, so that the search explores with GIRE
  int features;                 // of a node, as the policy network sees it
  const char* instance_ending;  // of its files
  const char* solution_ending;
};

constexpr ProblemTraits traits(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::tsp:
      return {.name = "tsp",
              .label = "TSP",
              .places = "nodes",
              .depots = false,
              .demands = false,
              .windows = false,
              .constrained = false,
              .features = 2,
              .instance_ending = ".tsp",
              .solution_ending = ".tour"};
    case ProblemKind::cvrp:
      return {.name = "cvrp",
              .label = "CVRP",
              .places = "customers",
              .depots = true,
              .demands = true,
              .windows = false,
              .constrained = true,
              .features = 8,
              .instance_ending = ".vrp",
              .solution_ending = ".sol"};
    case ProblemKind::vrptw:
      return {.name = "vrptw",
              .label = "VRPTW",
              .places = "customers",
              .depots = true,
              .demands = true,
              .windows = true,
              .constrained = true,
              .features = 16,
              .instance_ending = ".vrp",
              .solution_ending = ".sol"};
  }
  std::abort();  // no such kind
}

/// The kind of a name; nothing when there is none of that name.
constexpr std::optional<ProblemKind> parse_problem(std::string_view name) {
  for (const ProblemKind kind : kProblemKinds)
    if (name == traits(kind).name) return kind;
  return std::nullopt;
}

/// "tsp, cvrp or vrptw", for messages that say what was expected.
static_assert(written_for(3));
inline constexpr std::string_view kProblemNames = "tsp, cvrp or vrptw";

}  // namespace neuopt
