// What a backend prepares for a model, kept for the next session: a set is run in several, one after the other.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "policy/model.h"

namespace neuopt::backends {

template <class Prepared>
class ModelCache {
 public:
  /// What make() returned for this model, now or earlier. The latest few are kept.
  template <class Make>
  std::shared_ptr<Prepared> get(const std::shared_ptr<const policy::Model>& model, Make&& make) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.model == model) return entry.prepared;
    entries_.push_back({model, make()});
    if (entries_.size() > kKept) entries_.pop_front();
    return entries_.back().prepared;
  }

 private:
  static constexpr std::size_t kKept = 8;  // some megabytes each

  struct Entry {
    std::shared_ptr<const policy::Model> model;  // held, so that no other model gets its address
    std::shared_ptr<Prepared> prepared;
  };

  std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace neuopt::backends
