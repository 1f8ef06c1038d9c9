// Random tours and legal actions for tests, drawn from Philox so that a seed says all.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/philox.h"
#include "kopt/action.h"

namespace neuopt::test {

/// A stream of random numbers.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_{seed} {}

  int below(int bound) { return static_cast<int>(uniform_below(word(), static_cast<std::uint32_t>(bound))); }
  int between(int first, int last) { return first + below(last - first + 1); }
  float unit() { return uniform_float(word()); }

 private:
  std::uint32_t word() { return random_.words(Draw::test, 0, 0, 0, counter_++).word[0]; }

  Random random_;
  std::uint32_t counter_ = 0;
};

/// A tour that owns its arrays.
struct Tour {
  std::vector<int> order, position;

  explicit Tour(std::vector<int> nodes) : order(std::move(nodes)), position(order.size()) {
    for (int p = 0; p < size(); ++p) position[order[p]] = p;
  }
  int size() const { return static_cast<int>(order.size()); }
  kopt::TourView view() { return {size(), order.data(), position.data()}; }
};

inline Tour identity_tour(int nodes) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  return Tour(std::move(order));
}

/// A uniform random tour; node 0 stays in front.
inline Tour random_tour(int nodes, Draws& draws) {
  std::vector<int> order = identity_tour(nodes).order;
  for (int p = nodes - 1; p > 1; --p) std::swap(order[p], order[draws.between(1, p)]);
  return Tour(std::move(order));
}

/// What a policy with K basis moves chose: an anchor, then up to K - 1 ranks (0: the anchor), fewer after an E-move.
struct Choices {
  int anchor = 0;
  std::vector<int> ranks;
};

/// Legal choices for any tour of that many nodes. The ends of the legal range, E-moves among them, come up often.
inline Choices random_choices(int nodes, int k, Draws& draws) {
  std::vector<int> cuts(k - 1);
  Choices choices{draws.below(nodes), {}};
  kopt::Action action{nodes, choices.anchor, 0, 0, false, 0, cuts.data()};
  while (static_cast<int>(choices.ranks.size()) < k - 1 && !action.closed) {
    const kopt::LegalRanks legal = kopt::legal_ranks(action);
    const int favour = draws.below(8);
    const int lifted = favour == 0 ? legal.first : favour == 1 ? legal.last : draws.between(legal.first, legal.last);
    choices.ranks.push_back(lifted % nodes);
    kopt::choose(action, choices.ranks.back());
  }
  return choices;
}

/// The action of these choices. `cuts` gets room for them and must outlive the action.
inline kopt::Action make_action(const kopt::TourView& tour, const Choices& choices, std::vector<int>& cuts) {
  cuts.resize(choices.ranks.size() + 1);
  kopt::Action action = kopt::start_action(tour, choices.anchor, cuts.data());
  for (const int rank : choices.ranks) kopt::choose(action, rank);
  return action;
}

}  // namespace neuopt::test
