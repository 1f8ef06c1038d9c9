#include "io/test_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/text.h"
#include "io/npz.h"
#include "io/test_set_pickle.h"
#include "io/unit_instance.h"
#include "problem/instance_memory.h"

namespace neuopt {
namespace {

constexpr std::string_view zip_magic = "PK";
constexpr std::string_view kArrays[] = {"locs", "cost", "depot", "demand", "capacity", "time_windows", "service_time"};

void expect_shape(const NpzFile& npz, const std::string& name, const Shape& shape, const Shape& expected) {
  if (shape != expected)
    throw InputError(npz.file(), 0, name + " has shape " + shape_text(shape) + ", expected " + shape_text(expected));
}

/// The first rows of an array, as numbers.
std::vector<double> first_rows(Tensor tensor, std::size_t rows) {
  tensor.bytes.resize(tensor.bytes.size() / static_cast<std::size_t>(tensor.shape[0]) * rows);
  tensor.shape[0] = static_cast<std::int64_t>(rows);
  return tensor.to_double();
}

std::vector<double> read_values(const NpzFile& npz, const std::string& name, const Shape& expected, std::size_t rows) {
  Tensor tensor = npz.tensor(name);
  expect_shape(npz, name, tensor.shape, expected);
  return first_rows(std::move(tensor), rows);
}

/// The arrays of a set, as numbers.
struct SetArrays {
  std::int64_t stated = 0;       // instances of the file
  std::size_t count = 0;         // of these, those that are read
  std::size_t nodes = 0;         // of each, without the depot
  std::vector<double> locs;      // (count, nodes, 2)
  std::vector<double> depot;     // (count, 2), empty for TSP
  std::vector<double> demand;    // (count, nodes)
  std::vector<double> capacity;  // (count)
  std::vector<double> windows;   // (count, nodes + 1, 2), the depot's first; empty without
  std::vector<double> service;   // (count, nodes)
  std::vector<double> cost;      // (count), or empty
};

std::vector<double> read_capacity(const NpzFile& npz, const SetArrays& arrays) {
  Tensor tensor = npz.tensor("capacity");
  if (tensor.size() == 1) return std::vector<double>(arrays.count, tensor.to_double()[0]);
  if (tensor.shape != Shape{arrays.stated, 1}) expect_shape(npz, "capacity", tensor.shape, {arrays.stated});
  return first_rows(std::move(tensor), arrays.count);
}

void read_times(const NpzFile& npz, SetArrays& arrays) {
  const auto nodes = static_cast<std::int64_t>(arrays.nodes);
  if (!npz.has("time_windows")) {
    if (npz.has("service_time")) throw InputError(npz.file(), 0, "service_time without time_windows");
    return;
  }
  if (arrays.depot.empty()) throw InputError(npz.file(), 0, "time_windows without depot, demand and capacity");
  arrays.windows = read_values(npz, "time_windows", {arrays.stated, nodes + 1, 2}, arrays.count);
  arrays.service = npz.has("service_time") ? read_values(npz, "service_time", {arrays.stated, nodes}, arrays.count)
                                           : std::vector<double>(arrays.count * arrays.nodes);
}

bool has_vehicles(const NpzFile& npz) { return npz.has("depot") || npz.has("demand") || npz.has("capacity"); }

/// Numbers take up to eight times the bytes that they have in the file, and an instance of one node two hundred times.
void require_memory_for(const SetArrays& arrays, const NpzFile& npz, double memory) {
  constexpr double kCopies = 2;  // of every number: the arrays and the instances
  static_assert(written_for(3));
  const ProblemKind kind = npz.has("time_windows") ? ProblemKind::vrptw
                           : has_vehicles(npz)     ? ProblemKind::cvrp
                                                   : ProblemKind::tsp;
  const double each = instance_bytes(kind, static_cast<double>(arrays.nodes), kCopies);
  require_memory_to_read(static_cast<double>(arrays.count) * each, memory, npz.file(),
                         fmt::format("{} instances of size {}", arrays.count, arrays.nodes));
}

/// The array that the others must fit.
Tensor read_locs(const NpzFile& npz) {
  Tensor locs = npz.tensor("locs");
  if (locs.shape.size() == 3 && locs.shape[0] == 0) throw InputError(npz.file(), 0, "no instances");
  if (locs.shape.size() != 3 || locs.shape[0] < 1 || locs.shape[1] < 1 || locs.shape[2] != 2)
    throw InputError(npz.file(), 0, "locs has shape " + shape_text(locs.shape) + ", expected (B,N,2)");
  if (locs.dtype == DType::boolean || locs.dtype == DType::u8)
    throw InputError(npz.file(), 0, "locs is of type " + dtype_name(locs.dtype) + ", expected f32 or f64");
  if (locs.shape[1] >= std::numeric_limits<int>::max()) throw InputError(npz.file(), 0, "locs: too many nodes");
  return locs;
}

/// Limits on distances, backhauls and the like would be broken in silence.
void refuse_unknown(const NpzFile& npz) {
  for (const std::string& name : npz.names())
    if (std::find(std::begin(kArrays), std::end(kArrays), name) == std::end(kArrays))
      throw InputError(npz.file(), 0,
                       fmt::format("{}: not known, and may constrain solutions; a test set has {}", quote_bytes(name),
                                   fmt::join(kArrays, ", ")));
}

SetArrays read_arrays(const NpzFile& npz, const ReadBounds& bounds) {
  Tensor locs = read_locs(npz);
  refuse_unknown(npz);
  const std::int64_t stated = locs.shape[0], nodes = locs.shape[1];
  SetArrays arrays;
  arrays.stated = stated;
  arrays.count = static_cast<std::size_t>(stated);
  if (bounds.instances > 0) arrays.count = std::min(arrays.count, bounds.instances);
  arrays.nodes = static_cast<std::size_t>(nodes);
  require_memory_for(arrays, npz, bounds.memory);
  arrays.locs = first_rows(std::move(locs), arrays.count);
  if (npz.has("cost")) arrays.cost = read_values(npz, "cost", {stated}, arrays.count);
  if (has_vehicles(npz)) {
    arrays.depot = read_values(npz, "depot", {stated, 2}, arrays.count);
    arrays.demand = read_values(npz, "demand", {stated, nodes}, arrays.count);
    arrays.capacity = read_capacity(npz, arrays);
    refuse_divided(npz.file(), *std::max_element(arrays.demand.begin(), arrays.demand.end()),
                   *std::min_element(arrays.capacity.begin(), arrays.capacity.end()));
  }
  read_times(npz, arrays);
  return arrays;
}

/// The part of an array that is instance `b`'s, behind a 0 for the depot.
std::vector<double> behind_depot(const std::vector<double>& values, std::size_t b, std::size_t nodes) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(b * nodes);
  std::vector<double> part{0.0};
  part.insert(part.end(), first, first + static_cast<std::ptrdiff_t>(nodes));
  return part;
}

Instance make_instance(const SetArrays& arrays, const SetPosition& position) {
  const bool depot = !arrays.depot.empty();
  const std::size_t b = position.index;
  std::vector<Point> nodes;
  nodes.reserve(arrays.nodes + 1);
  if (depot) nodes.push_back({arrays.depot[2 * b], arrays.depot[2 * b + 1]});
  for (std::size_t i = b * arrays.nodes; i < (b + 1) * arrays.nodes; ++i)
    nodes.push_back({arrays.locs[2 * i], arrays.locs[2 * i + 1]});
  if (!depot) return make_unit_tsp(position, std::move(nodes));
  Instance instance =
      make_unit_cvrp(position, std::move(nodes), behind_depot(arrays.demand, b, arrays.nodes), arrays.capacity[b]);
  if (arrays.windows.empty()) return instance;
  UnitTimes times{.windows = {}, .service = behind_depot(arrays.service, b, arrays.nodes)};
  for (std::size_t i = b * (arrays.nodes + 1); i < (b + 1) * (arrays.nodes + 1); ++i)
    times.windows.push_back({arrays.windows[2 * i], arrays.windows[2 * i + 1]});
  return make_unit_vrptw(position, std::move(instance), std::move(times));
}

std::vector<Instance> parse_npz_set(const NpzFile& npz, const ReadBounds& bounds) {
  const SetArrays arrays = read_arrays(npz, bounds);
  std::vector<Instance> instances;
  instances.reserve(arrays.count);
  for (std::size_t b = 0; b < arrays.count; ++b) {
    const SetPosition position{npz.file(), b};
    instances.push_back(make_instance(arrays, position));
    if (arrays.cost.empty()) continue;
    if (!(arrays.cost[b] >= 0 && std::isfinite(arrays.cost[b])))
      throw InputError(position_label(position), 0, "cost: expected a finite number that is not negative");
    instances.back().reference_cost = arrays.cost[b];
  }
  return instances;
}

/// int32 when nothing is lost, else float64.
Tensor compact_tensor(Shape shape, const std::vector<double>& values) {
  const auto fits = [](double value) { return std::fabs(value) <= 0x7FFFFFFF && is_whole(value); };
  if (!std::all_of(values.begin(), values.end(), fits)) return Tensor(std::move(shape), values);
  return Tensor(std::move(shape), std::vector<std::int32_t>(values.begin(), values.end()));
}

/// The depot's window comes first, and its service time is known.
void append_times(const Instance& instance, std::vector<double>& windows, std::vector<double>& service) {
  const auto append = [&](const TimeWindow& window) { windows.insert(windows.end(), {window.opens, window.closes}); };
  append(instance.windows[static_cast<std::size_t>(instance.depot)]);
  for (int node = 0; node < instance.size; ++node) {
    if (node == instance.depot) continue;
    append(instance.windows[static_cast<std::size_t>(node)]);
    service.push_back(instance.service[static_cast<std::size_t>(node)]);
  }
}

void check_uniform(const std::vector<Instance>& instances) {
  if (instances.empty()) throw InputError("a test set needs at least one instance");
  for (const Instance& instance : instances)
    if (instance.metric != Metric::unit || instance.kind != instances[0].kind || instance.size != instances[0].size)
      throw InputError("instance '" + instance.name +
                       "' does not fit into a test set: expected one kind, one size and plain Euclidean distances");
}

}  // namespace

std::vector<Instance> read_test_set(const std::string& path, const ReadBounds& bounds) {
  return parse_test_set(read_file(path), path, bounds);
}

std::vector<Instance> parse_test_set(std::string bytes, const std::string& file, const ReadBounds& bounds) {
  // No pickle starts with the two letters of a zip archive: P would be a persistent reference.
  if (bytes.starts_with(zip_magic)) return parse_npz_set(NpzFile::parse(std::move(bytes), file, bounds.memory), bounds);
  return parse_pickled_set(bytes, file, bounds);
}

std::string format_test_set(const std::vector<Instance>& instances) {
  check_uniform(instances);
  const ProblemTraits problem = traits(instances[0].kind);
  std::vector<float> locs, depot;
  std::vector<double> demand, capacity, cost, windows, service;
  for (const Instance& instance : instances) {
    for (int node = 0; node < instance.size; ++node) {
      const bool is_depot = instance.is_depot(node);
      const Point point = instance.coordinates[static_cast<std::size_t>(node)];
      std::vector<float>& target = is_depot ? depot : locs;
      target.insert(target.end(), {static_cast<float>(point.x), static_cast<float>(point.y)});
      if (problem.demands && !is_depot) demand.push_back(instance.demand[static_cast<std::size_t>(node)]);
    }
    if (problem.demands) capacity.push_back(instance.capacity);
    if (problem.windows) append_times(instance, windows, service);
    if (instance.reference_cost) cost.push_back(*instance.reference_cost);
  }
  const auto count = static_cast<std::int64_t>(instances.size());
  const std::int64_t nodes = instances[0].customers();
  NamedTensors tensors;
  tensors["locs"] = Tensor({count, nodes, 2}, locs);
  if (cost.size() == instances.size()) tensors["cost"] = Tensor({count}, cost);
  if (problem.depots) tensors["depot"] = Tensor({count, 2}, depot);
  if (problem.demands) {
    tensors["demand"] = compact_tensor({count, nodes}, demand);
    tensors["capacity"] = compact_tensor({count}, capacity);
  }
  if (problem.windows) {
    tensors["time_windows"] = compact_tensor({count, nodes + 1, 2}, windows);
    tensors["service_time"] = compact_tensor({count, nodes}, service);
  }
  return format_npz(tensors);
}

void write_test_set(const std::string& path, const std::vector<Instance>& instances) {
  const std::string content = format_test_set(instances);
  if (content.size() > kLargestFile)
    throw InputError(path, 0,
                     fmt::format("would have {} bytes, and files of up to {} are read", content.size(), kLargestFile));
  write_file(path, content);
}

}  // namespace neuopt
