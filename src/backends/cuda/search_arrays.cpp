#include "backends/cuda/search_arrays.h"

#include <algorithm>
#include <limits>
#include <map>

#include "backends/copy_state.h"
#include "backends/positions.h"
#include "env/host_instance.h"
#include "local/cuda/polish.h"

namespace neuopt::backends::cuda {
namespace {

/// Arrays one after the other.
template <class T>
struct Concatenation {
  std::vector<T> values;

  /// Where the part begins.
  std::size_t append(const std::vector<T>& part) {
    values.insert(values.end(), part.begin(), part.end());
    return values.size() - part.size();
  }
};

/// Where the parts of an instance begin.
struct Offsets {
  std::size_t x, y, node, matrix, place, fixed, neighbours;
};

env::SearchState identity_of(const policy::Copy& copy) {
  env::SearchState state{};
  state.instance_id = copy.instance_id;
  state.copy_id = copy.copy_id;
  return state;
}

}  // namespace

/// Instances that were uploaded together.
struct SearchArrays::Instances {
  DeviceArray<float> values;         // coordinates and matrices
  DeviceArray<std::int32_t> places;  // rows of the matrices, partners of fixed edges
  DeviceArray<std::byte> nodes;      // of the problem's Node
  DeviceArray<std::int32_t> lists;   // of neighbours
  std::map<const SearchInstance*, env::InstanceView> views;
  std::map<const SearchInstance*, local::NeighbourView> neighbours;  // with polish
};

SearchArrays::SearchArrays(std::span<const policy::Copy* const> copies, const policy::Architecture& architecture,
                           const policy::SessionOptions& options, cudaStream_t stream)
    : stream_(stream), kind_(architecture.problem), gire_(options.gire), instances_of_row_(copies.size()) {
  all_.searches.copies = static_cast<int>(copies.size());
  all_.searches.nodes = copies.front()->instance->size();
  all_.searches.rules = search_rules(options);
  all_.run_as(architecture, options.foresight);
  allocate(architecture, options.polish_interval > 0);
  std::vector<int> rows(copies.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<int>(row);
  restart(rows, copies);
}

void SearchArrays::allocate(const policy::Architecture& architecture, bool polished) {
  const auto count = static_cast<std::size_t>(copies()), nodes = static_cast<std::size_t>(this->nodes());
  table_ = DeviceArray<env::InstanceView>(count);
  states_ = DeviceArray<env::SearchState>(count);
  for (auto* array : {&order_, &position_, &best_order_, &scratch_}) *array = DeviceArray<std::int32_t>(count * nodes);
  routes_ = DeviceArray<std::byte>(count * nodes * env::node_bytes(kind_).route);
  features_ = DeviceArray<float>(count * nodes * static_cast<std::size_t>(architecture.features()));
  exploration_ = DeviceArray<float>(traits(kind_).constrained ? count * env::kExplorationFeatures : 0);
  choices_ = DeviceArray<std::int32_t>(count * static_cast<std::size_t>(architecture.max_moves));
  for (auto* array : {&move_input_, &edge_input_}) *array = DeviceArray<std::int32_t>(count);
  if (polished) {
    neighbours_ = DeviceArray<local::NeighbourView>(count);
    polished_order_ = DeviceArray<std::int32_t>(count * nodes);
    polished_cost_ = DeviceArray<double>(count);
    polish_workspace_ = DeviceArray<std::byte>(local::cuda::workspace_bytes(kind_, copies(), this->nodes()));
  }

  all_.searches.instances = table_.data();
  all_.searches.states = states_.data();
  all_.searches.order = order_.data();
  all_.searches.position = position_.data();
  all_.searches.best_order = best_order_.data();
  all_.searches.scratch = scratch_.data();
  all_.searches.routes = routes_.data();
  all_.network_features = features_.data();
  all_.exploration = exploration_.data();
  all_.neighbours = neighbours_.data();
  all_.polished_order = polished_order_.data();
  all_.polished_cost = polished_cost_.data();
  all_.choices = choices_.data();
  all_.move_input = move_input_.data();
  all_.edge_input = edge_input_.data();
}

std::shared_ptr<const SearchArrays::Instances> SearchArrays::upload(std::span<const policy::Copy* const> copies) const {
  std::map<const SearchInstance*, Offsets> offsets;
  Concatenation<float> values;
  Concatenation<std::int32_t> places, lists;
  Concatenation<std::byte> nodes;
  std::map<const SearchInstance*, local::NeighbourView> neighbours;
  for (const policy::Copy* copy : copies) {
    const SearchInstance& instance = *copy->instance;
    if (offsets.contains(&instance)) continue;
    offsets[&instance] = {.x = values.append(instance.x),
                          .y = values.append(instance.y),
                          .node = nodes.append(env::node_table(instance)),
                          .matrix = values.append(instance.matrix),
                          .place = instance.matrix.empty() ? 0 : places.append(instance.node_of),
                          .fixed = places.append(instance.fixed),
                          .neighbours = lists.values.size()};
    if (neighbours_.size() == 0) continue;
    neighbours[&instance] = checked_neighbours(*copy).view();
    lists.append(copy->neighbours->lists);
  }
  auto uploaded = std::make_shared<Instances>();
  uploaded->values = {values.values, stream_};
  uploaded->places = {places.values, stream_};
  uploaded->nodes = {nodes.values, stream_};
  uploaded->lists = {lists.values, stream_};
  for (const auto& [instance, at] : offsets) {
    env::InstanceView view = env::view_of(*instance, {}, gire_);
    view.x = uploaded->values.data() + at.x;
    view.y = uploaded->values.data() + at.y;
    if (uploaded->nodes.size() > 0) view.node = uploaded->nodes.data() + at.node;
    if (view.matrix != nullptr) view.matrix = uploaded->values.data() + at.matrix;
    if (view.place != nullptr) view.place = uploaded->places.data() + at.place;
    if (view.fixed != nullptr) view.fixed = uploaded->places.data() + at.fixed;
    uploaded->views[instance] = view;
    if (neighbours_.size() == 0) continue;
    neighbours[instance].lists = uploaded->lists.data() + at.neighbours;
    uploaded->neighbours[instance] = neighbours[instance];
  }
  return uploaded;
}

void SearchArrays::restart(std::span<const int> rows, std::span<const policy::Copy* const> copies) {
  for (const policy::Copy* copy : copies) positions_of(copy->start, nodes());  // throws when it is not a tour
  const std::shared_ptr<const Instances> instances = upload(copies);
  // Whole arrays travel: they are small beside the work of a step, and single rows would cost more calls than bytes.
  const bool all = rows.size() == instances_of_row_.size();  // then nothing of what is there stays
  const auto present = [&](const auto& array) {
    return all ? std::vector<std::remove_pointer_t<decltype(array.data())>>(array.size()) : array.download(stream_);
  };
  std::vector<env::InstanceView> table = present(table_);
  std::vector<env::SearchState> states = present(states_);
  std::vector<std::int32_t> orders = present(order_);
  std::vector<local::NeighbourView> neighbours = present(neighbours_);
  std::vector<double> polished_costs = present(polished_cost_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    table[row] = instances->views.at(copies[i]->instance);
    states[row] = identity_of(*copies[i]);
    std::copy(copies[i]->start.begin(), copies[i]->start.end(),
              orders.begin() + static_cast<std::ptrdiff_t>(row) * nodes());
    instances_of_row_[row] = instances;
    if (neighbours.empty()) continue;
    neighbours[row] = instances->neighbours.at(copies[i]->instance);
    polished_costs[row] = std::numeric_limits<double>::infinity();
  }
  table_.upload(table, stream_);
  states_.upload(states, stream_);
  order_.upload(orders, stream_);
  neighbours_.upload(neighbours, stream_);
  polished_cost_.upload(polished_costs, stream_);
  const DeviceArray<std::int32_t> chosen(rows, stream_);
  start_searches(all_, chosen.data(), static_cast<int>(rows.size()), stream_);
  check_cuda(cudaStreamSynchronize(stream_), "starting searches");  // before the list of rows goes
}

void SearchArrays::polish(int first, int count) const {
  const DeviceBatch part = view(first, count);
  const local::PolishBatch batch{.copies = count,
                                 .nodes = nodes(),
                                 .instances = part.searches.instances,
                                 .neighbours = part.neighbours,
                                 .rules = local::polish_rules(),
                                 .order = part.searches.order,
                                 .best_order = part.polished_order,
                                 .best_cost = part.polished_cost};
  local::cuda::launch_polish(kind_, batch, polish_workspace_.data(), stream_);
}

DeviceBatch SearchArrays::view(int first, int count) const {
  DeviceBatch part = all_;
  env::SearchBatch& searches = part.searches;
  const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(first) * nodes();
  searches.copies = count;
  searches.instances += first;
  searches.states += first;
  for (auto* array : {&searches.order, &searches.position, &searches.best_order, &searches.scratch}) *array += rows;
  if (searches.routes != nullptr)
    searches.routes = routes_.data() + static_cast<std::size_t>(rows) * env::node_bytes(kind_).route;
  part.network_features += rows * traits(kind_).features;
  part.choices += static_cast<std::ptrdiff_t>(first) * all_.max_moves;
  part.move_input += first;
  part.edge_input += first;
  if (part.polished_cost != nullptr) {
    part.neighbours += first;
    part.polished_order += rows;
    part.polished_cost += first;
  }
  if (part.exploration != nullptr) part.exploration += static_cast<std::ptrdiff_t>(first) * env::kExplorationFeatures;
  return part;
}

}  // namespace neuopt::backends::cuda
