// The wholes of the problems, for make_whole.
#pragma once

#include "search/parts/whole.h"

namespace neuopt::search {

std::unique_ptr<Whole> make_tsp_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                      std::span<const int> order);
std::unique_ptr<Whole> make_route_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                        std::span<const int> order);

}  // namespace neuopt::search
