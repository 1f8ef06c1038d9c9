// Instances in Python: made of arrays, read from files, generated, drawn and verified.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "arrays.h"
#include "core/file.h"
#include "core/text.h"
#include "io/tsplib_names.h"
#include "module.h"
#include "problem/embed.h"
#include "problem/rounding.h"
#include "times.h"

namespace neuopt::python {
namespace {

using Routes = std::vector<std::vector<int>>;
using Edges = std::vector<std::pair<int, int>>;

/// The number of nodes that an array has rows for.
int rows_of(const char* what, const Array& array) {
  if (array.shape(0) > std::numeric_limits<int>::max())
    throw InputError(fmt::format("{} is for {} nodes, which are too many", what, array.shape(0)));
  return static_cast<int>(array.shape(0));
}

void set_coordinates(Instance& instance, const Array& coords) {
  const py::ssize_t columns = three_dimensional(instance.metric) ? 3 : 2;
  if (coords.ndim() != 2 || coords.shape(1) != columns)
    throw InputError(fmt::format("coords has shape {}, expected (nodes, {})", shape_of(coords), columns));
  instance.size = rows_of("coords", coords);
  for (py::ssize_t node = 0; node < coords.shape(0); ++node) {
    instance.coordinates.push_back({coords.at(node, 0), coords.at(node, 1)});
    if (columns == 3) instance.z.push_back(coords.at(node, 2));
  }
}

void set_matrix(Instance& instance, const Array& matrix) {
  if (matrix.ndim() != 2 || matrix.shape(0) != matrix.shape(1))
    throw InputError(fmt::format("distance_matrix has shape {}, expected (nodes, nodes)", shape_of(matrix)));
  if (!instance.coordinates.empty() && matrix.shape(0) != instance.size)
    throw InputError(
        fmt::format("distance_matrix is for {} nodes, coords for {}", matrix.shape(0), instance.coordinates.size()));
  instance.metric = Metric::explicit_matrix;
  instance.size = rows_of("distance_matrix", matrix);
  instance.matrix = values(matrix);
}

/// Demands of all nodes or of the customers alone.
void set_demands(Instance& instance, const Array& demands, double capacity, int depot) {
  instance.kind = ProblemKind::cvrp;
  instance.capacity = capacity;
  instance.depot = depot;
  if (depot < 0 || depot >= instance.size)
    throw InputError(fmt::format("depot: {}, expected a node from 0 to {}", depot, instance.size - 1));
  if (demands.ndim() != 1 || (demands.size() != instance.size && demands.size() != instance.customers()))
    throw InputError(fmt::format("demands has shape {}, expected ({},), 0 at the depot, or ({},) without it",
                                 shape_of(demands), instance.size, instance.customers()));
  instance.demand = values(demands);
  if (demands.size() == instance.customers()) instance.demand.insert(instance.demand.begin() + depot, 0.0);
  const double at_depot = instance.demand[static_cast<std::size_t>(depot)];
  if (at_depot != 0) throw InputError(fmt::format("the depot has demand {}, expected 0", at_depot));
}

Metric parse_metric(const std::string& name) {
  const std::optional<Metric> metric = metric_from_name(name);
  if (metric == Metric::explicit_matrix) throw InputError("metric: EXPLICIT is that of a distance_matrix");
  if (!metric) throw InputError(fmt::format("metric: no such one as '{}', expected {}", name, metric_names()));
  return *metric;
}

/// Refuses what only problems with a depot have.
void require_depot(const Instance& instance, const char* what) {
  if (!traits(instance.kind).depots)
    throw InputError(fmt::format("{}: a {} has none", what, traits(instance.kind).label));
}

struct InstanceArguments {
  std::optional<Array> coords, demands;
  std::optional<double> capacity;
  std::optional<int> vehicles;
  std::optional<Array> time_windows, service_times, distance_matrix;
  std::string metric, rounding;
  std::optional<int> depot;
  std::string name, comment;
  std::optional<double> reference_cost;
  Edges fixed_edges;
};

Instance make_instance(const InstanceArguments& given) {
  Instance instance;
  instance.name = given.name;
  instance.comment = given.comment;
  instance.reference_cost = given.reference_cost;
  instance.fixed_edges = given.fixed_edges;
  instance.metric = parse_metric(given.metric);
  if (!given.rounding.empty()) set_rounding(instance, given.rounding, given.distance_matrix.has_value());
  if (!given.coords && !given.distance_matrix) throw InputError("an instance needs coords or a distance_matrix");
  if (given.coords) set_coordinates(instance, *given.coords);
  if (given.distance_matrix) set_matrix(instance, *given.distance_matrix);
  if (given.demands.has_value() != given.capacity.has_value())
    throw InputError("a CVRP needs both demands and capacity, a TSP has neither");
  if (given.demands) set_demands(instance, *given.demands, *given.capacity, given.depot.value_or(0));
  if (given.vehicles) require_depot(instance, "vehicles");
  if (given.depot.value_or(0) != 0) require_depot(instance, "depot");
  instance.vehicles = given.vehicles.value_or(0);
  set_times(instance, given.time_windows, given.service_times);
  const double reference = given.reference_cost.value_or(0);
  if (!(reference >= 0 && std::isfinite(reference)))
    throw InputError(fmt::format("reference_cost: {}, expected a finite number that is not negative", reference));
  validate(instance, 0);
  return instance;
}

/// What pickle keeps: the fields in their order, arrays as bytes.
py::tuple get_state(const Instance& instance) {
  std::vector<double> xy;
  for (const Point& point : instance.coordinates) xy.insert(xy.end(), {point.x, point.y});
  return py::make_tuple(static_cast<int>(instance.kind), py::bytes(instance.name), py::bytes(instance.comment),
                        static_cast<int>(instance.metric), to_bytes(xy), to_bytes(instance.z),
                        to_bytes(instance.matrix), to_bytes(instance.demand), instance.capacity, instance.depot,
                        instance.size, instance.reference_cost, instance.fixed_edges, instance.vehicles,
                        to_bytes(window_values(instance)), to_bytes(instance.service));
}

Instance set_state(const py::tuple& state) {
  if (state.size() != 16) throw InputError("this is no pickled instance of this version of neuopt");
  Instance instance;
  instance.kind = static_cast<ProblemKind>(state[0].cast<int>());
  instance.name = state[1].cast<std::string>();
  instance.comment = state[2].cast<std::string>();
  instance.metric = static_cast<Metric>(state[3].cast<int>());
  const std::vector<double> xy = from_bytes(state[4]);
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) instance.coordinates.push_back({xy[i], xy[i + 1]});
  instance.z = from_bytes(state[5]);
  instance.matrix = from_bytes(state[6]);
  instance.demand = from_bytes(state[7]);
  instance.capacity = state[8].cast<double>();
  instance.depot = state[9].cast<int>();
  instance.size = state[10].cast<int>();
  instance.reference_cost = state[11].cast<std::optional<double>>();
  instance.fixed_edges = state[12].cast<Edges>();
  instance.vehicles = state[13].cast<int>();
  const std::vector<double> times = from_bytes(state[14]);
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) instance.windows.push_back({times[i], times[i + 1]});
  instance.service = from_bytes(state[15]);
  validate(instance, 0);
  return instance;
}

py::object point_array(const std::vector<Point>& points, const std::vector<double>& z = {}) {
  if (points.empty()) return py::none();
  const auto count = static_cast<py::ssize_t>(points.size());
  const py::ssize_t columns = z.empty() ? 2 : 3;
  py::array_t<double> array({count, columns});
  for (py::ssize_t node = 0; node < count; ++node) {
    const auto place = static_cast<std::size_t>(node);
    array.mutable_at(node, 0) = points[place].x;
    array.mutable_at(node, 1) = points[place].y;
    if (columns == 3) array.mutable_at(node, 2) = z[place];
  }
  return array;
}

py::object demand_array(const Instance& instance) {
  if (instance.demand.empty()) return py::none();
  return py::array_t<double>(static_cast<py::ssize_t>(instance.demand.size()), instance.demand.data());
}

py::array_t<double> distances(const Instance& instance) {
  py::array_t<double> matrix({instance.size, instance.size});
  for (int from = 0; from < instance.size; ++from)
    for (int to = 0; to < instance.size; ++to)
      matrix.mutable_at(from, to) = from == to ? 0 : instance.distance(from, to);
  return matrix;
}

double checked_distance(const Instance& instance, int from, int to) {
  for (const int node : {from, to})
    if (node < 0 || node >= instance.size)
      throw InputError(fmt::format("node {}, expected 0 to {}", node, instance.size - 1));
  return from == to ? 0 : instance.distance(from, to);
}

py::str represent(const Instance& instance) {
  const ProblemTraits problem = traits(instance.kind);
  std::string text =
      fmt::format("<neuopt.Instance {}: {} with {} {}", instance.name.empty() ? "without a name" : instance.name,
                  problem.label, instance.customers(), problem.places);
  if (problem.demands) text += fmt::format(", capacity {}", instance.capacity);
  if (instance.vehicles > 0) text += fmt::format(", at most {} vehicles", instance.vehicles);
  return to_text(text + ">");
}

py::str picture(const Instance& instance, const std::optional<Routes>& routes) {
  const Solution solution{routes.value_or(Routes())};
  return to_text(draw_picture(instance, routes ? &solution : nullptr));
}

/// Of a str, bytes or os.PathLike.
std::string path_of(const py::object& path) {
  return py::module_::import("neuopt._paths").attr("path_bytes")(path).cast<std::string>();
}

/// The ending of a name, in small letters. It states what is in a file: throws InputError when it is none of these. A
/// name without one states nothing.
std::string checked_ending(const std::string& path, const std::vector<std::string>& endings) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  if (!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end())
    throw InputError(path, 0, fmt::format("expected a name that ends in {}", fmt::join(endings, " or ")));
  return ending;
}

void save(const Instance& instance, const py::object& path) {
  const std::string name = path_of(path);
  std::vector<std::string> endings{traits(instance.kind).instance_ending};
  if (traits(instance.kind).windows) endings.emplace_back(".txt");
  write_file(name, checked_ending(name, endings) == ".txt" ? write_solomon(instance) : write_instance(instance));
}

void save_solution(const Instance& instance, const py::object& path, const Routes& routes, double cost) {
  const std::string name = path_of(path);
  checked_ending(name, {traits(instance.kind).solution_ending});
  write_file(name, write_solution(instance, {routes}, cost));
}

py::object read(const std::vector<std::string>& paths, std::size_t limit, const std::optional<std::string>& rounding,
                int vehicles, const py::object& note) {
  FileOverrides overrides{.rounding = {}, .vehicles = vehicles};
  if (rounding) overrides.rounding = checked_rounding(*rounding);
  Notes notes;
  InstanceSet set = without_gil([&] { return read_instances(paths, limit, notes.sink(), overrides); });
  notes.deliver(note);
  if (!set.is_set) return py::cast(std::move(set.instances.at(0)));
  py::list instances;
  for (Instance& instance : set.instances) instances.append(py::cast(std::move(instance)));
  return instances;
}

py::tuple read_solution(const std::string& path, const Instance& instance, const py::object& note) {
  Notes notes;
  SolutionFile file = read_solution_file(path, instance, notes.sink());
  notes.deliver(note);
  return py::make_tuple(std::move(file.solution.routes), file.cost);
}

py::tuple verdict_of(const Instance& instance, const Routes& routes) {
  Verdict verdict = verify(instance, {routes}, Numbering::indices);
  py::list findings;
  for (const std::string& finding : verdict.findings) findings.append(to_text(finding));
  py::list late;
  for (const LateStop& stop : verdict.late) late.append(py::make_tuple(stop.route, stop.node, stop.by));
  return py::make_tuple(verdict.feasible, verdict.cost, std::move(verdict.loads), findings, late);
}

ProblemKind kind_of(const std::string& problem) {
  const std::optional<ProblemKind> kind = parse_problem(problem);
  if (!kind) throw InputError(fmt::format("no problem is called '{}', expected {}", problem, kProblemNames));
  return *kind;
}

/// Here the set is only asked for: that it is too large is the caller's fault.
void require_memory_for(const std::string& problem, int size, int count) {
  try {
    require_memory_to_generate(kind_of(problem), size, count);
  } catch (const ResourceError& error) {
    throw InputError(error.what());
  }
}

Instance generate(const std::string& problem, int size, std::uint64_t seed, std::uint64_t index, double capacity,
                  bool shaped) {
  const ProblemKind kind = kind_of(problem);
  if (capacity != 0 && !traits(kind).demands) throw InputError(fmt::format("capacity: a {} has none", problem));
  if (capacity != 0 && shaped) throw InputError("capacity: a shaped instance draws its own");
  return without_gil([&] {
    return shaped ? generate_shaped(kind, size, seed, index) : generate_uniform(kind, size, seed, index, capacity);
  });
}

void add_instance_class(py::module_& module) {
  InstanceClass type(
      module, "Instance",
      "A routing problem: a TSP, or a CVRP when it has demands and a capacity. Nodes are numbered from 0.\n\n"
      "coords is (nodes, 2); distances are Euclidean, or what `metric` says (a name of TSPLIB, e.g. 'EUC_2D').\n"
      "A symmetric distance_matrix (nodes, nodes) takes the place of coords, which are then only drawn.\n"
      "demands has one number for each node, 0 at the depot, or one for each customer.\n"
      "vehicles is the most routes that a solution of a CVRP may have; None: any number.\n"
      "time_windows (nodes, 2) make a VRPTW: when service may begin, the depot's being the day. service_times has\n"
      "one number for each node, 0 at the depot, one for each customer, or one for all of them.\n"
      "rounding replaces the metric of coords: 'none', 'round', 'trunc' or 'dimacs' (cut after one decimal).\n"
      "fixed_edges are pairs of nodes that every tour of a TSP must have side by side.");
  refuse_unmade(type);
  type.def(py::init([](const py::object& coords, const py::object& demands, std::optional<double> capacity,
                       const py::object& vehicles, const py::object& time_windows, const py::object& service_times,
                       const py::object& distance_matrix, std::string metric,
                       const std::optional<std::string>& rounding, const py::object& depot, std::string name,
                       std::string comment, std::optional<double> reference_cost, Edges fixed_edges) {
             return make_instance({.coords = to_array("coords", coords),
                                   .demands = to_array("demands", demands),
                                   .capacity = capacity,
                                   .vehicles = to_whole("vehicles", vehicles, 1),
                                   .time_windows = to_array("time_windows", time_windows),
                                   .service_times = to_array("service_times", service_times),
                                   .distance_matrix = to_array("distance_matrix", distance_matrix),
                                   .metric = std::move(metric),
                                   .rounding = rounding.value_or(""),
                                   .depot = to_whole("depot", depot, 0),
                                   .name = std::move(name),
                                   .comment = std::move(comment),
                                   .reference_cost = reference_cost,
                                   .fixed_edges = std::move(fixed_edges)});
           }),
           py::arg("coords") = py::none(), py::kw_only(), py::arg("demands") = py::none(),
           py::arg("capacity") = py::none(), py::arg("vehicles") = py::none(), py::arg("time_windows") = py::none(),
           py::arg("service_times") = py::none(), py::arg("distance_matrix") = py::none(),
           py::arg("metric") = "EXACT_2D", py::arg("rounding") = py::none(), py::arg("depot") = py::none(),
           py::arg("name") = "", py::arg("comment") = "", py::arg("reference_cost") = py::none(),
           py::arg("fixed_edges") = Edges());
  type.def(py::pickle(&get_state, &set_state));
  type.def("__repr__", represent);
  type.def_property_readonly(
      "problem", [](const Instance& self) { return problem_name(self.kind); }, "'tsp', 'cvrp' or 'vrptw'");
  type.def_property_readonly("name", [](const Instance& self) { return to_text(self.name); });
  type.def_property_readonly("comment", [](const Instance& self) { return to_text(self.comment); });
  type.def_property_readonly(
      "metric", [](const Instance& self) { return std::string(metric_name(self.metric)); },
      "How distances follow from coords, by its name in TSPLIB");
  type.def_property_readonly(
      "rounding",
      [](const Instance& self) {
        const std::string_view name = rounding_name(self.metric);
        return name.empty() ? std::nullopt : std::optional(std::string(name));
      },
      "Of Euclidean distances in the plane: 'none', 'round', 'trunc' or 'dimacs'; None for others");
  add_times(type);
  type.def_readonly("size", &Instance::size, "Nodes, the depot among them");
  type.def_property_readonly("customers", &Instance::customers, "Nodes without the depot");
  type.def_property_readonly(
      "coords", [](const Instance& self) { return point_array(self.coordinates, self.z); },
      "(nodes, 2), or None where only distances are known");
  type.def_property_readonly("demands", demand_array, "(nodes,), 0 at the depot; None for a TSP");
  type.def_property_readonly(
      "capacity",
      [](const Instance& self) { return traits(self.kind).demands ? std::optional(self.capacity) : std::nullopt; },
      "Of every vehicle; None for a TSP");
  type.def_property_readonly(
      "vehicles", [](const Instance& self) { return self.vehicles > 0 ? std::optional(self.vehicles) : std::nullopt; },
      "The most routes of a solution, or None");
  type.def_property_readonly(
      "depot", [](const Instance& self) { return traits(self.kind).depots ? std::optional(self.depot) : std::nullopt; },
      "Its node; None for a TSP");
  type.def_readonly("reference_cost", &Instance::reference_cost, "A known good cost, which gaps refer to, or None");
  type.def_readonly("fixed_edges", &Instance::fixed_edges, "Pairs of nodes that every tour has side by side");
  type.def("distance", checked_distance, py::arg("node"), py::arg("other"), "Cost of the edge between two nodes");
  type.def("distance_matrix", distances, "All distances, (nodes, nodes)");
  type.def(
      "map_points", [](const Instance& self) { return point_array(map_points(self)); },
      "Where nodes are drawn: their coords, or points whose distances resemble those of the matrix");
  type.def("_picture", picture, py::arg("routes") = py::none());
  type.def("_repr_svg_", [](const Instance& self) { return picture(self, std::nullopt); });
  type.def("save", save, py::arg("path"),
           "Writes a .tsp (TSP) or .vrp file, or one of Solomon's (VRPTW) where the name ends in .txt. A name with\n"
           "another ending is a ValueError.");
  type.def("_save_solution", save_solution);
}

}  // namespace

void add_instances(py::module_& module) {
  add_instance_class(module);
  module.def("read", read, py::arg("paths"), py::arg("limit"), py::arg("rounding"), py::arg("vehicles"),
             py::arg("note"));
  module.def("read_solution", read_solution, py::arg("path"), py::arg("instance"), py::arg("note"));
  module.def("schedule", schedules_of, py::arg("instance"), py::arg("routes"));
  module.def("verify", verdict_of, py::arg("instance"), py::arg("routes"));
  module.attr("MOST_CUSTOMERS") = kMostCustomers;
  module.attr("MOST_INSTANCES") = kMostInstances;
  module.def("require_memory", require_memory_for, py::arg("problem"), py::arg("size"), py::arg("count"));
  module.def("generate", generate, py::arg("problem"), py::arg("size"), py::arg("seed"), py::arg("index"),
             py::arg("capacity"), py::arg("shaped"));
}

}  // namespace neuopt::python
