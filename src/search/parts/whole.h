// The solution of a large instance while its parts are searched: where parts are cut out and put back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/until.h"
#include "local/kicks/draws.h"
#include "search/parts/part.h"

namespace neuopt::search {

class Whole {
 public:
  virtual ~Whole() = default;

  /// Parts without a common node, at most so many, all with the same number of search nodes, whichever the call.
  virtual std::vector<PartPlan> cut(int most, local::KickDraws& draws) const = 0;

  /// Puts another tour of a part in its place when that changes the cost by less than `allowed`. Parts of one cut may
  /// be put back one after the other. Returns the change of the cost, or nothing when it was not done.
  virtual std::optional<double> put_back(const Part& part, std::span<const int> tour, double allowed) = 0;

  /// Local search around what was put back, until it is over.
  virtual void improve(const Until& until) = 0;

  /// The present tour, as the search wants it.
  virtual std::vector<int> order() const = 0;
};

/// `whole` and `neighbours` must outlive it.
std::unique_ptr<Whole> make_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                  std::span<const int> order);

}  // namespace neuopt::search
