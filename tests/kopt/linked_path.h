// The paper's basis moves, executed literally on a doubly linked path: edges are removed and added one by one and their
// directions are fixed by walking. Slow and obvious; the judge of the closed form in kopt/exchange.h.
#pragma once

#include <stdexcept>
#include <vector>

namespace neuopt::test {

class LinkedPath {
 public:
  explicit LinkedPath(const std::vector<int>& order)
      : next_(order.size()), previous_(order.size()), rank_(order.size()) {
    for (std::size_t p = 0; p < order.size(); ++p) add_edge_unchecked(order[p], order[(p + 1) % order.size()]);
  }

  /// S(x_a): removes the edge from the anchor to its successor. The path runs from x_j to x_i.
  void start(int anchor) {
    int node = anchor;
    for (std::size_t rank = 0; rank < rank_.size(); ++rank, node = next_[node]) rank_[node] = static_cast<int>(rank);
    low_end_ = anchor;
    high_end_ = next_[anchor];
    remove_edge(low_end_, high_end_);
  }

  /// I(x_v): adds x_i -> x_v, removes x_v -> x_w, reverses the edges between x_j and x_v.
  void intermediate(int v) {
    require(rank_[low_end_] < rank_[high_end_] && rank_[high_end_] < rank_[v], "the sequential conditions");
    const int w = next_[v];
    remove_edge(v, w);
    reverse(high_end_, v);
    add_edge(low_end_, v);
    low_end_ = high_end_;
    high_end_ = w;
  }

  /// E: joins the two endpoints.
  void end() { add_edge(low_end_, high_end_); }

  int low_end() const { return low_end_; }    // x_i
  int high_end() const { return high_end_; }  // x_j

  /// The nodes from node 0 along the closed tour.
  std::vector<int> order() const {
    std::vector<int> nodes{0};
    for (int node = next_[0]; node != 0 && nodes.size() <= next_.size(); node = next_[node]) nodes.push_back(node);
    return nodes;
  }

 private:
  static constexpr int kNone = -1;

  static void require(bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  }
  void add_edge_unchecked(int from, int to) {
    next_[from] = to;
    previous_[to] = from;
  }
  void add_edge(int from, int to) {
    require(next_[from] == kNone && previous_[to] == kNone, "an edge joins a free end to a free start");
    add_edge_unchecked(from, to);
  }
  void remove_edge(int from, int to) {
    require(next_[from] == to && previous_[to] == from, "a removed edge exists");
    next_[from] = kNone;
    previous_[to] = kNone;
  }
  /// Turns round the edges of a piece that is linked to nothing else at `first` and `last`.
  void reverse(int first, int last) {
    std::vector<int> piece{first};
    while (piece.back() != last) piece.push_back(next_[piece.back()]);
    for (std::size_t i = 1; i < piece.size(); ++i) remove_edge(piece[i - 1], piece[i]);
    for (std::size_t i = piece.size() - 1; i > 0; --i) add_edge(piece[i], piece[i - 1]);
  }

  std::vector<int> next_, previous_;
  std::vector<int> rank_;  // with respect to the anchor, in the tour before the action
  int low_end_ = kNone, high_end_ = kNone;
};

}  // namespace neuopt::test
