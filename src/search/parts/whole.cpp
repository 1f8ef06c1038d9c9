#include "search/parts/whole.h"

#include "search/parts/whole_kinds.h"

namespace neuopt::search {

std::unique_ptr<Whole> make_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                  std::span<const int> order) {
  switch (whole.kind) {
    case ProblemKind::tsp:
      return make_tsp_whole(whole, neighbours, order);
    case ProblemKind::cvrp:
    case ProblemKind::vrptw:
      break;
  }
  return make_route_whole(whole, neighbours, order);
}

}  // namespace neuopt::search
