#include "backends/trace/trace.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/error.h"
#include "kopt/action.h"

namespace neuopt::backends::trace {
namespace {

double scalar(const NpzFile& file, const std::string& name) {
  const std::vector<double> values = file.tensor(name).to_double();
  if (values.size() != 1) throw InputError(file.file(), 0, name + " is not a single number");
  return values[0];
}

/// A recorded size; nothing outside of the bounds is believed.
int size_within(const NpzFile& file, const std::string& name, int low, int high) {
  const double value = scalar(file, name);
  if (!(value >= low && value <= high) || value != std::floor(value))
    throw InputError(file.file(), 0,
                     fmt::format("{} is {}, expected a whole number from {} to {}", name, value, low, high));
  return static_cast<int>(value);
}

policy::Model read_model(const NpzFile& file) {
  NamedTensors tensors;
  for (const std::string& name : file.names())
    if (name.starts_with("actor.")) tensors.emplace(name, file.tensor(name));
  if (tensors.empty()) throw InputError(file.file(), 0, "not a trace: it has no weights (actor.*)");
  policy::Model model = policy::import_tensors(tensors, size_within(file, "meta.k", 2, kopt::kMostMoves), file.file());
  model.provenance["trace"] = file.file();
  return model;
}

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

Trace Trace::open(const std::string& path) {
  Trace trace(NpzFile::open(path));
  if (!trace.file_.has("meta.steps")) throw InputError(path, 0, "not a trace: it has no meta.steps");
  trace.path_ = path;
  trace.model_ = read_model(trace.file_);
  trace.steps_ = size_within(trace.file_, "meta.steps", 1, 1'000'000);
  trace.history_ = size_within(trace.file_, "meta.history", 2, 64);
  trace.mean_improvement_ = static_cast<float>(scalar(trace.file_, "meta.reg_weight"));
  if (traits(trace.model_.architecture.problem).constrained) trace.epsilon_ = scalar(trace.file_, "meta.epsilon");
  trace.read_instances();
  return trace;
}

void Trace::read_instances() {
  const ProblemTraits problem = traits(model_.architecture.problem);
  const Tensor coordinates = file_.tensor("in.coordinates");
  if (coordinates.shape.size() != 3 || coordinates.shape[0] < 1 || coordinates.shape[1] < 3 ||
      coordinates.shape[2] != 2)
    throw InputError(path_, 0, "in.coordinates has shape " + shape_text(coordinates.shape) + ", expected (B,N,2)");
  const auto batch = static_cast<std::size_t>(coordinates.shape[0]),
             nodes = static_cast<std::size_t>(coordinates.shape[1]);
  const std::vector<float> xy = coordinates.to_float();
  std::vector<float> demand;
  const int depots = problem.depots ? size_within(file_, "meta.dummy", 1, static_cast<int>(nodes) - 1) : 0;
  if (problem.demands) demand = narrow(array("in.demand", {coordinates.shape[0], coordinates.shape[1]}));
  for (std::size_t b = 0; b < batch; ++b) {
    SearchInstance instance;
    instance.kind = model_.architecture.problem;
    instance.depots = depots;
    instance.nodes = static_cast<int>(nodes);
    instance.node_of.resize(nodes);
    std::iota(instance.node_of.begin(), instance.node_of.end(), 0);
    for (std::size_t node = 0; node < nodes; ++node) {
      instance.x.push_back(xy[2 * (b * nodes + node)]);
      instance.y.push_back(xy[2 * (b * nodes + node) + 1]);
      if (problem.demands) instance.demand.push_back(demand[b * nodes + node]);
    }
    instances_.push_back(std::move(instance));
  }
}

env::GireParameters Trace::gire(int index) const {
  env::GireParameters gire;
  gire.history = history_;
  const std::vector<float>& demand = instance(index).demand;
  if (!demand.empty()) gire.zeta = static_cast<float>(epsilon_ / std::accumulate(demand.begin(), demand.end(), 0.0));
  return gire;
}

std::vector<double> Trace::array(const std::string& name, const Shape& shape) const {
  const Tensor tensor = file_.tensor(name);
  if (tensor.shape != shape)
    throw InputError(path_, 0, name + " has shape " + shape_text(tensor.shape) + ", expected " + shape_text(shape));
  return tensor.to_double();
}

std::vector<int> Trace::integers(const std::string& name, const Shape& shape) const {
  std::vector<int> result;
  for (const double value : array(name, shape)) {
    if (!(std::abs(value) < 1e9)) throw InputError(path_, 0, fmt::format("{} has a value {}", name, value));
    result.push_back(static_cast<int>(value));
  }
  return result;
}

std::vector<std::vector<int>> Trace::tours(const std::string& name) const {
  const std::vector<int> successor = integers(name, {batch(), nodes()});
  std::vector<std::vector<int>> orders;
  for (int b = 0; b < batch(); ++b) {
    std::vector<int> order;
    int node = 0;
    for (int p = 0; p < nodes(); ++p) {
      order.push_back(node);
      node = successor[static_cast<std::size_t>(b * nodes() + node)];
      if (node < 0 || node >= nodes()) throw InputError(path_, 0, fmt::format("{} has a successor {}", name, node));
    }
    orders.push_back(std::move(order));
  }
  return orders;
}

TraceStep Trace::step(int index) const {
  const policy::Architecture& a = model_.architecture;
  const std::string t = fmt::format("t{}.", index);
  const Shape action_shape = file_.tensor(t + "action").shape;
  TraceStep step;
  step.order = tours(t + "solution");
  const std::vector<int> action = integers(t + "action", action_shape);
  const std::size_t width = action.size() / static_cast<std::size_t>(batch());
  if (width < static_cast<std::size_t>(a.max_moves)) throw InputError(path_, 0, t + "action has too few columns");
  for (int b = 0; b < batch(); ++b) {
    const auto row = action.begin() + static_cast<std::ptrdiff_t>(width) * b;
    step.choices.emplace_back(row, row + a.max_moves);
  }
  step.previous_anchor = integers(t + "last_action", {batch(), 1});
  step.position = integers(t + "position", {batch(), nodes()});
  step.features = narrow(array(t + "node_features", {batch(), nodes(), a.features()}));
  step.exploration = narrow(array(t + "es", {batch(), env::kExplorationFeatures}));
  step.embeddings = array(t + "embeddings", {batch(), nodes(), a.dim});
  if (file_.has(t + "attn_logits_layer0"))
    step.first_scores = array(t + "attn_logits_layer0", {a.heads, batch(), nodes(), nodes()});
  step.logits = array(t + "logits", {batch(), a.max_moves, nodes()});
  step.log_prob = array(t + "log_prob", {batch()});
  step.entropy = array(t + "entropy", {batch()});
  step.next_order = tours(t + "next_solution");
  step.reward = array(t + "reward", {batch(), 3});
  step.next_obj = array(t + "next_obj", {batch(), 3});
  if (file_.has(t + "next_es")) step.next_exploration = array(t + "next_es", {batch(), env::kExplorationFeatures});
  return step;
}

}  // namespace neuopt::backends::trace
