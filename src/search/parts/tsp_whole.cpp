// Windows of a tour: the nodes nearest to one of them and its neighbours in the tour, or to the ends of long edges.
// Every path outside a window between two of its nodes is one fixed edge; a node of which both edges would be fixed is
// left out, and becomes part of such a path.
#include <algorithm>
#include <cmath>

#include "local/tsp_search.h"
#include "search/exact.h"
#include "search/parts/nearest_walk.h"
#include "search/parts/tour_exchange.h"
#include "search/parts/whole_kinds.h"
#include "search/parts/whole_local_search.h"

namespace neuopt::search {
namespace {

constexpr int kWindowNodes = 100;
constexpr int kSeedsDrawn = 3;
constexpr int kLongEdgesEvery = 3;             // of so many windows one is around long edges
constexpr std::size_t kLeastLongEdges = 12;    // of a tour that count as long
constexpr std::size_t kNodesForLongEdge = 20;  // and one for each so many nodes
constexpr std::size_t kLongEdgesTogether = 6;  // in a window
constexpr int kWalkLimit = 3;  // a window is given up when it would need more than so many times its nodes

/// A window while it grows. Counts the nodes that a free edge of the tour joins to another one inside: the others are
/// left out.
class Window {
 public:
  Window(const LongTour& tour, kopt::FixedEdges fixed, std::vector<std::uint8_t>& inside)
      : tour_(tour), fixed_(fixed), inside_(inside) {}

  void add(int node) {
    bool joined = false;
    for (const int beside : {tour_.before(node), tour_.after(node)}) {
      if (!is_joined(node, beside)) continue;
      joined = true;
      if (!is_kept(beside)) ++kept_;
    }
    inside_[static_cast<std::size_t>(node)] = 1;
    nodes_.push_back(node);
    kept_ += joined ? 1 : 0;
  }

  int kept() const { return kept_; }
  int walked() const { return static_cast<int>(nodes_.size()); }

  /// Takes out ends of paths of three nodes or more, the farthest first, until so many are kept; true when that is
  /// reached.
  bool shrink_to(int count) {
    for (std::size_t i = nodes_.size(); kept_ > count && i-- > 0;) {
      const int node = nodes_[i];
      const bool left = is_joined(node, tour_.before(node)), right = is_joined(node, tour_.after(node));
      if (left == right) continue;
      const int beside = left ? tour_.before(node) : tour_.after(node);
      if (!is_joined(beside, left ? tour_.before(beside) : tour_.after(beside))) continue;
      inside_[static_cast<std::size_t>(node)] = 0;
      --kept_;
    }
    return kept_ == count;
  }

  /// The nodes that are kept, in the order of the tour.
  std::vector<int> nodes() const {
    std::vector<int> kept;
    std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(kept),
                 [&](int node) { return is_inside(node) && is_kept(node); });
    std::sort(kept.begin(), kept.end(), [&](int a, int b) {
      return tour_.position[static_cast<std::size_t>(a)] < tour_.position[static_cast<std::size_t>(b)];
    });
    return kept;
  }

  ~Window() {
    for (const int node : nodes_) inside_[static_cast<std::size_t>(node)] = 0;
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

 private:
  bool is_inside(int node) const { return inside_[static_cast<std::size_t>(node)] != 0; }
  /// Whether a node's edge to its neighbour in the tour is free and leads to one inside.
  bool is_joined(int node, int beside) const { return is_inside(beside) && !fixed_.has(node, beside); }
  bool is_kept(int node) const { return is_joined(node, tour_.before(node)) || is_joined(node, tour_.after(node)); }

  const LongTour& tour_;
  kopt::FixedEdges fixed_;
  std::vector<std::uint8_t>& inside_;  // all 0 before and after
  std::vector<int> nodes_;             // from near to far
  int kept_ = 0;
};

class TspWhole : public Whole {
 public:
  TspWhole(const SearchInstance& whole, const local::Neighbours& neighbours, std::span<const int> order)
      : whole_(whole), neighbours_(neighbours), tour_(order), open_nodes_(count_open_nodes()) {}

  std::vector<PartPlan> cut(int most, local::KickDraws& draws) const override {
    std::vector<std::uint8_t> taken(static_cast<std::size_t>(tour_.size()), 0), inside = taken;
    NearestWalk walk(whole_, neighbours_, taken);
    const std::vector<int> long_edges = find_long_edges();
    std::vector<PartPlan> plans;
    // Seeds that lie in a window already, or whose window cannot be filled, are not replaced for ever.
    for (int tries = 0; tries < 3 * most && static_cast<int>(plans.size()) < most; ++tries) {
      const std::vector<int> seeds =
          tries % kLongEdgesEvery == 0 ? long_edges_together(long_edges, draws) : around(draw_seed(draws));
      if (taken[static_cast<std::size_t>(seeds[0])] != 0) continue;
      Window window(tour_, env::fixed_edges(whole_), inside);
      walk.begin(seeds);
      while (window.kept() < nodes() && window.walked() < kWalkLimit * window_nodes(tour_.size())) {
        const int node = walk.next();
        if (node < 0) break;
        window.add(node);
      }
      if (!window.shrink_to(nodes())) continue;
      PartPlan plan = plan_of(window.nodes());
      if (plan.nodes - static_cast<int>(plan.fixed.size()) < kLeastFreeEdges) continue;
      plans.push_back(std::move(plan));
      for (const int node : plans.back().customers) taken[static_cast<std::size_t>(node)] = 1;
    }
    return plans;
  }

  std::optional<double> put_back(const Part& part, std::span<const int> tour, double allowed) override {
    std::vector<Edge> removed = edges_of(part, part.start), added = edges_of(part, tour);
    std::vector<Edge> gone, come;
    std::set_difference(removed.begin(), removed.end(), added.begin(), added.end(), std::back_inserter(gone));
    std::set_difference(added.begin(), added.end(), removed.begin(), removed.end(), std::back_inserter(come));
    double delta = 0;
    for (const auto& [a, b] : gone) delta -= whole_.edge_cost(a, b);
    for (const auto& [a, b] : come) delta += whole_.edge_cost(a, b);
    if (!(delta < allowed) || !exchange_edges(tour_, gone, come)) return std::nullopt;
    for (const auto& [a, b] : come) touched_.insert(touched_.end(), {a, b});
    return delta;
  }

  void improve(const Until& until) override {
    std::vector<int> order = std::move(tour_.order);
    improve_around<env::Tsp>(whole_, neighbours_, order, touched_, until);
    tour_ = LongTour(order);
    touched_.clear();
  }

  std::vector<int> order() const override {
    std::vector<int> order(tour_.order);
    std::rotate(order.begin(), order.begin() + tour_.position[0], order.end());
    return order;
  }

 private:
  /// How much longer the edge to the next node is than the one to the nearest node.
  double excess(int node) const {
    return whole_.edge_cost(node, tour_.after(node)) - whole_.edge_cost(node, neighbours_.view().of(node)[0]);
  }

  /// The nodes whose edges to the next node are the longest beside those to their nearest ones.
  std::vector<int> find_long_edges() const {
    std::vector<std::pair<double, int>> ranked;
    for (const int node : tour_.order) ranked.emplace_back(-excess(node), node);
    const std::size_t count = std::min(ranked.size(), std::max(kLeastLongEdges, ranked.size() / kNodesForLongEdge));
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count - 1), ranked.end());
    std::vector<int> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(ranked[i].second);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  /// The ends of one of the long edges and of those nearest to it. Between clusters, where the nearest nodes of a node
  /// are all in its own, edges are only exchanged when they are in a window together.
  std::vector<int> long_edges_together(const std::vector<int>& long_edges, local::KickDraws& draws) const {
    const auto first = static_cast<std::size_t>(
        long_edges[static_cast<std::size_t>(draws.below(static_cast<int>(long_edges.size())))]);
    std::vector<std::pair<double, int>> ranked;
    for (const int node : long_edges) {
      const auto i = static_cast<std::size_t>(node);
      ranked.emplace_back(std::hypot(whole_.x[i] - whole_.x[first], whole_.y[i] - whole_.y[first]), node);
    }
    const std::size_t count = std::min(ranked.size(), kLongEdgesTogether);
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
    std::vector<int> seeds;
    for (std::size_t i = 0; i < count; ++i)
      seeds.insert(seeds.end(), {ranked[i].second, tour_.after(ranked[i].second)});
    return seeds;
  }

  /// A node and its neighbours in the tour, which may be far away.
  std::vector<int> around(int node) const { return {node, tour_.before(node), tour_.after(node)}; }

  /// A node where the tour looks bad: of some drawn at random the one whose edges are longest beside its nearest
  /// node's.
  int draw_seed(local::KickDraws& draws) const {
    int worst = -1;
    double most = 0;
    for (int i = 0; i < kSeedsDrawn; ++i) {
      const int node = draws.below(tour_.size());
      const double found = excess(node) + excess(tour_.before(node));
      if (worst >= 0 && !(found > most)) continue;
      worst = node;
      most = found;
    }
    return worst;
  }

  static int window_nodes(int all) { return std::min(kWindowNodes, all / 2); }

  /// Of every window. Nodes with two fixed edges are never in one.
  int nodes() const { return window_nodes(open_nodes_); }

  int count_open_nodes() const {
    int open = tour_.size();
    for (std::size_t i = 1; i < whole_.fixed.size(); i += 2) open -= whole_.fixed[i] >= 0 ? 1 : 0;
    return open;
  }

  PartPlan plan_of(std::vector<int> window) const {
    PartPlan plan;
    plan.nodes = static_cast<int>(window.size());
    for (int i = 0; i < plan.nodes; ++i) {
      const int next = i + 1 < plan.nodes ? i + 1 : 0;
      const int a = window[static_cast<std::size_t>(i)], b = window[static_cast<std::size_t>(next)];
      if (tour_.after(a) != b || env::fixed_edges(whole_).has(a, b)) plan.fixed.emplace_back(i, next);
    }
    plan.customers = std::move(window);
    return plan;
  }

  /// The edges of a part's tour as edges of the whole, smaller node first, sorted. Fixed ones are in every tour of it.
  static std::vector<Edge> edges_of(const Part& part, std::span<const int> tour) {
    std::vector<Edge> edges;
    for (std::size_t p = 0; p < tour.size(); ++p) {
      const int a = part.customers[static_cast<std::size_t>(tour[p])];
      const int b = part.customers[static_cast<std::size_t>(tour[p + 1 < tour.size() ? p + 1 : 0])];
      edges.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  const SearchInstance& whole_;
  const local::Neighbours& neighbours_;
  LongTour tour_;
  int open_nodes_;            // that are not between two fixed edges
  std::vector<int> touched_;  // ends of edges that are new since the last local search
};

}  // namespace

std::unique_ptr<Whole> make_tsp_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                      std::span<const int> order) {
  return std::make_unique<TspWhole>(whole, neighbours, order);
}

}  // namespace neuopt::search
