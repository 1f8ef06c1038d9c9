// The customers around some of them, from near to far, by way of the lists of neighbours: no tree, nothing quadratic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "local/neighbours.h"
#include "problem/search_instance.h"

namespace neuopt::search {

class NearestWalk {
 public:
  /// The walk goes around customers for which `taken` is not 0. All must outlive it.
  NearestWalk(const SearchInstance& whole, const local::Neighbours& neighbours, const std::vector<std::uint8_t>& taken)
      : whole_(whole), lists_(neighbours.view()), taken_(taken), seen_(static_cast<std::size_t>(whole.size()), 0) {}

  /// Begins a walk around several customers at once: near is what is near to one of them.
  void begin(std::vector<int> seeds) {
    ++walk_;
    seeds_ = std::move(seeds);
    ahead_ = {};
    for (const int seed : seeds_) see(seed);
  }

  /// The next customer; -1 when there is no more that lists lead to.
  int next() {
    if (ahead_.empty()) return -1;
    const int customer = ahead_.top().second;
    ahead_.pop();
    const std::int32_t* near = lists_.of(customer);
    for (int i = 0; i < lists_.count; ++i) see(near[i]);
    return customer;
  }

 private:
  void see(int customer) {
    const auto i = static_cast<std::size_t>(customer);
    if (seen_[i] == walk_ || taken_[i] != 0) return;
    seen_[i] = walk_;
    double nearest = std::numeric_limits<double>::infinity();
    for (const int seed : seeds_) {
      const auto from = static_cast<std::size_t>(seed);
      const double dx = static_cast<double>(whole_.x[i]) - whole_.x[from];
      const double dy = static_cast<double>(whole_.y[i]) - whole_.y[from];
      nearest = std::min(nearest, dx * dx + dy * dy);
    }
    ahead_.emplace(nearest, customer);
  }

  using Entry = std::pair<double, int>;  // squared distance, customer

  const SearchInstance& whole_;
  local::NeighbourView lists_;
  const std::vector<std::uint8_t>& taken_;
  std::vector<std::uint32_t> seen_;  // the last walk that met a node
  std::uint32_t walk_ = 0;
  std::vector<int> seeds_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ahead_;
};

}  // namespace neuopt::search
