#include "search/parts/whole.h"

#include "search/parts/whole_kinds.h"

namespace neuopt::search {

std::unique_ptr<Whole> make_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                  std::span<const int> order) {
  return traits(whole.kind).depots ? make_route_whole(whole, neighbours, order)
                                   : make_tsp_whole(whole, neighbours, order);
}

}  // namespace neuopt::search
