// Lines that come in any order, written in the order of the set.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace neuopt::cli {

class InOrder {
 public:
  /// `write` takes the lines, that of place `first` before all others.
  explicit InOrder(std::function<void(const std::string&)> write, int first = 0)
      : write_(std::move(write)), next_(first) {}

  /// The line of a place, written as soon as all before it are.
  void add(int place, std::string line) {
    waiting_[place] = std::move(line);
    for (auto at = waiting_.begin(); at != waiting_.end() && at->first == next_; at = waiting_.erase(at), ++next_)
      write_(at->second);
  }

  /// Those that wait for others which will not come.
  void write_rest() {
    for (const auto& [place, line] : waiting_) write_(line);
    waiting_.clear();
  }

  /// The place that is to be written next.
  int next() const { return next_; }

 private:
  std::function<void(const std::string&)> write_;
  std::map<int, std::string> waiting_;  // by place
  int next_;
};

}  // namespace neuopt::cli
