// Watching a search step by step.
#pragma once

#include <span>
#include <vector>

#include "policy/backend.h"
#include "search/solve.h"

namespace neuopt::search {

/// Costs are in the units of the search, nodes as the search numbers them.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  /// Before the first step; the instance stays valid until the search ends. starts[c] is the first tour of copy c.
  virtual void begin(const SearchInstance& instance, std::span<const std::vector<int>> starts) = 0;
  virtual void step(const policy::StepRecord& record) = 0;
  /// Whether it may watch a search by parts, of a large instance: there is one copy then, and a step is a round of all
  /// parts. Otherwise such a search is refused.
  virtual bool knows_rounds() const { return false; }
  /// Then: the customers of each part in work.
  virtual void regions(std::span<const std::vector<int>> /*parts*/) {}
};

}  // namespace neuopt::search
