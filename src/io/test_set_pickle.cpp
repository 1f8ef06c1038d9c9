#include "io/test_set_pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/memory.h"
#include "io/pickle.h"
#include "io/unit_instance.h"
#include "problem/instance_memory.h"

namespace neuopt {
namespace {

using Items = std::span<const PickleValue>;

/// Turns the values of one document into instances.
class SetBuilder {
 public:
  SetBuilder(const PickleDocument& document, std::size_t file_size, const std::string& file)
      : document_(document), numbers_left_(file_size), file_(file) {}

  std::vector<Instance> build(const ReadBounds& bounds) {
    if (!document_.root.is_sequence() || document_.items(document_.root).empty())
      throw InputError(file_, 0, "expected a pickled list of instances");
    Items values = document_.items(document_.root);
    if (bounds.instances > 0) values = values.first(std::min(values.size(), bounds.instances));
    require_memory_for(values, bounds.memory);
    std::vector<Instance> instances;
    instances.reserve(values.size());
    for (const PickleValue& value : values) {
      index_ = instances.size();
      if (!value.is_sequence() || document_.items(value).empty()) fail("expected a list of coordinates or a tuple");
      const Items items = document_.items(value);
      instances.push_back(is_cvrp(items) ? build_cvrp(items) : make_unit_tsp(position(), points(value, 0, 1)));
      if (instances.back().kind != instances.front().kind) fail("is of another kind than the first instance");
    }
    refuse_divided(file_, largest_demand_, smallest_capacity_);
    return instances;
  }

 private:
  SetPosition position() const { return {file_, index_}; }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(position_label(position()), 0, message); }

  /// Before any of them is built: a reference of two bytes may stand for each.
  void require_memory_for(Items values, double memory) const {
    double bytes = 0;
    for (const PickleValue& value : values) {
      const Items items = value.is_sequence() ? document_.items(value) : Items();
      const bool cvrp = is_cvrp(items);
      const Items nodes = !cvrp ? items : items[1].is_sequence() ? document_.items(items[1]) : Items();
      static_assert(written_for(3));  // of which the VRPTW has no such sets
      bytes += instance_bytes(cvrp ? ProblemKind::cvrp : ProblemKind::tsp, static_cast<double>(nodes.size()));
    }
    require_memory_to_read(bytes, memory, file_, fmt::format("{} instances", values.size()));
  }

  /// The fourth item of a CVRP instance is its capacity; of a TSP instance it is a node.
  static bool is_cvrp(Items items) { return items.size() >= 4 && items[3].is_number(); }

  Instance build_cvrp(Items items) {
    if (items.size() != 4 && items.size() != 7)
      fail("expected (depot, locs, demand, capacity), optionally with depot type, customer type and grid size");
    double grid_size = 1;
    if (items.size() == 7) {
      if (!items[6].is_number() || !(items[6].number() > 0)) fail("expected a positive grid size");
      grid_size = items[6].number();
    }
    std::vector<Point> nodes = points(items[1], 1, grid_size);
    nodes[0] = depot(items[0], grid_size);
    std::vector<double> demand = numbers(items[2], 1);
    if (demand.size() != nodes.size())
      fail(std::to_string(demand.size() - 1) + " demands for " + std::to_string(nodes.size() - 1) + " customers");
    for (const double each : demand) largest_demand_ = std::max(largest_demand_, each);
    smallest_capacity_ = std::min(smallest_capacity_, items[3].number());
    return make_unit_cvrp(position(), std::move(nodes), std::move(demand), items[3].number());
  }

  /// [x, y] or [[x, y]]
  Point depot(const PickleValue& value, double grid_size) {
    if (value.is_sequence() && document_.items(value).size() == 1) return point(document_.items(value)[0], grid_size);
    return point(value, grid_size);
  }

  Point point(const PickleValue& value, double grid_size) {
    if (!value.is_sequence()) fail("expected a pair of coordinates");
    const Items pair = document_.items(value);
    if (pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) fail("expected a pair of coordinates");
    return {pair[0].number() / grid_size, pair[1].number() / grid_size};
  }

  /// The points of a list, after `leading` of zeros.
  std::vector<Point> points(const PickleValue& value, std::size_t leading, double grid_size) {
    const Items items = non_empty(value, "expected a list of coordinates");
    std::vector<Point> result(leading);
    for (const PickleValue& item : items) result.push_back(point(item, grid_size));
    return result;
  }

  /// The numbers of a list, after `leading` zeros.
  std::vector<double> numbers(const PickleValue& value, std::size_t leading) {
    const Items items = non_empty(value, "expected a list of demands");
    std::vector<double> result(leading);
    for (const PickleValue& item : items) {
      if (!item.is_number()) fail("expected a list of demands");
      result.push_back(item.number());
    }
    return result;
  }

  /// The items of a list, counted against the size of the file: a number takes a byte at least, so a file that gives
  /// more of them refers to the same list again and again, which would make a small file fill the memory.
  Items non_empty(const PickleValue& value, const char* expected) {
    if (!value.is_sequence() || document_.items(value).empty()) fail(expected);
    const Items items = document_.items(value);
    if (items.size() > numbers_left_) fail("the file repeats its lists more often than its size allows");
    numbers_left_ -= items.size();
    return items;
  }

  const PickleDocument& document_;
  std::size_t numbers_left_;
  const std::string& file_;
  double largest_demand_ = 0, smallest_capacity_ = std::numeric_limits<double>::infinity();  // of all so far
  std::size_t index_ = 0;
};

}  // namespace

std::vector<Instance> parse_pickled_set(std::string_view bytes, const std::string& file, const ReadBounds& bounds) {
  const PickleDocument document = parse_pickle(bytes, file, PickleObjects::refused, bounds.memory);
  return SetBuilder(document, bytes.size(), file).build(bounds);
}

}  // namespace neuopt
