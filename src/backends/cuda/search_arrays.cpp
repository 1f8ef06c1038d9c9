#include "backends/cuda/search_arrays.h"

#include <map>

#include "backends/positions.h"
#include "env/view.h"

namespace neuopt::backends::cuda {
namespace {

/// Where the parts of an instance lie in the arrays that hold all instances; kNowhere: it has no such part.
struct Parts {
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::size_t x = kNowhere, y = kNowhere, demand = kNowhere, matrix = kNowhere, place = kNowhere;
};

template <class T>
std::size_t append(std::vector<T>& all, const std::vector<T>& part) {
  if (part.empty()) return Parts::kNowhere;
  all.insert(all.end(), part.begin(), part.end());
  return all.size() - part.size();
}

template <class T>
const T* at(const DeviceArray<T>& array, std::size_t offset) {
  return offset == Parts::kNowhere ? nullptr : array.data() + offset;
}

}  // namespace

SearchArrays::SearchArrays(std::span<const policy::Copy* const> copies, const policy::Architecture& architecture,
                           const policy::SessionOptions& options, cudaStream_t stream)
    : stream_(stream) {
  std::map<const SearchInstance*, std::int32_t> index_of;
  std::vector<const SearchInstance*> instances;
  std::vector<CopyOnDevice> states;
  std::vector<std::int32_t> orders;
  for (const policy::Copy* copy : copies) {
    const auto [entry, fresh] = index_of.try_emplace(copy->instance, static_cast<std::int32_t>(instances.size()));
    if (fresh) instances.push_back(copy->instance);
    positions_of(copy->start, copy->instance->size());  // throws when it is not a tour
    orders.insert(orders.end(), copy->start.begin(), copy->start.end());
    CopyOnDevice state{};
    state.instance_id = copy->instance_id;
    state.copy_id = copy->copy_id;
    state.instance = entry->second;
    states.push_back(state);
  }
  upload_instances(instances, options.gire);

  const auto count = copies.size(), nodes = static_cast<std::size_t>(instances.front()->size());
  const auto depots = static_cast<std::size_t>(instances.front()->depots);
  const auto features = static_cast<std::size_t>(architecture.features());
  const bool capacitated = depots > 0;
  copy_ = DeviceArray<CopyOnDevice>(states, stream);
  order_ = DeviceArray<std::int32_t>(orders, stream);
  for (auto* array : {&position_, &best_order_, &scratch_}) *array = DeviceArray<std::int32_t>(count * nodes);
  choices_ = DeviceArray<std::int32_t>(count * static_cast<std::size_t>(architecture.max_moves));
  for (auto* array : {&move_input_, &edge_input_}) *array = DeviceArray<std::int32_t>(count);
  for (auto* array : {&load_up_to_, &load_after_}) *array = DeviceArray<float>(capacitated ? count * nodes : 0);
  route_load_ = DeviceArray<float>(count * depots);
  features_ = DeviceArray<float>(count * nodes * features);
  exploration_ = DeviceArray<float>(capacitated ? count * env::kExplorationFeatures : 0);

  all_ = {static_cast<int>(count),
          static_cast<int>(nodes),
          static_cast<int>(depots),
          architecture.max_moves,
          architecture.features(),
          options.stall_limit,
          options.seed,
          options.gire,
          architecture.fixed_k,
          architecture.random_start_move,
          instances_.data(),
          copy_.data(),
          order_.data(),
          position_.data(),
          best_order_.data(),
          scratch_.data(),
          load_up_to_.data(),
          load_after_.data(),
          route_load_.data(),
          features_.data(),
          exploration_.data(),
          choices_.data(),
          move_input_.data(),
          edge_input_.data()};
  start_searches(all_, options.augment_start, stream);
}

void SearchArrays::upload_instances(std::span<const SearchInstance* const> instances, const env::GireParameters& gire) {
  std::vector<float> values;
  std::vector<std::int32_t> places;
  std::vector<Parts> parts;
  for (const SearchInstance* instance : instances) {
    Parts part;
    part.x = append(values, instance->x);
    part.y = append(values, instance->y);
    part.demand = append(values, instance->demand);
    part.matrix = append(values, instance->matrix);
    if (!instance->matrix.empty()) part.place = append(places, instance->node_of);
    parts.push_back(part);
  }
  instance_values_ = DeviceArray<float>(values, stream_);
  instance_places_ = DeviceArray<std::int32_t>(places, stream_);
  std::vector<InstanceOnDevice> described;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const env::ProblemView view = env::view_of(*instances[i], gire);
    described.push_back({at(instance_values_, parts[i].x), at(instance_values_, parts[i].y),
                         at(instance_values_, parts[i].demand), at(instance_values_, parts[i].matrix),
                         at(instance_places_, parts[i].place), view.places, view.epsilon, view.tolerance});
  }
  instances_ = DeviceArray<InstanceOnDevice>(described, stream_);
}

SearchBatch SearchArrays::view(int first, int count) const {
  SearchBatch part = all_;
  const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(first) * all_.nodes;
  part.copies = count;
  part.copy += first;
  for (auto* array : {&part.order, &part.position, &part.best_order, &part.scratch}) *array += rows;
  part.network_features += rows * all_.features;
  part.choices += static_cast<std::ptrdiff_t>(first) * all_.max_moves;
  part.move_input += first;
  part.edge_input += first;
  if (all_.depots == 0) return part;
  part.load_up_to += rows;
  part.load_after += rows;
  part.route_load += static_cast<std::ptrdiff_t>(first) * all_.depots;
  part.exploration += static_cast<std::ptrdiff_t>(first) * env::kExplorationFeatures;
  return part;
}

}  // namespace neuopt::backends::cuda
