#include "cli/schedule_json.h"

#include <algorithm>
#include <numeric>

#include "problem/rounding.h"
#include "problem/schedule.h"

namespace neuopt::cli {
namespace {

using Json = nlohmann::ordered_json;

Json stop_json(const Instance& instance, const ScheduledStop& stop) {
  Json object;
  object["customer"] = instance.customer_number(stop.node);
  object["arrival"] = stop.arrival;
  object["start"] = stop.start;
  object["departure"] = stop.departure;
  object["wait"] = stop.wait;
  object["load"] = stop.load;
  if (stop.late > 0) object["late"] = stop.late;
  return object;
}

Json route_json(const Instance& instance, const RouteSchedule& day) {
  Json object;
  object["departure"] = day.departure;
  object["back"] = day.back;
  object["wait"] = std::accumulate(day.stops.begin(), day.stops.end(), 0.0,
                                   [](double sum, const ScheduledStop& stop) { return sum + stop.wait; });
  if (day.late > 0) object["late"] = day.late;
  for (const ScheduledStop& stop : day.stops) object["stops"].push_back(stop_json(instance, stop));
  return object;
}

}  // namespace

void put_schedule(Json& object, const Instance& instance, const Solution& solution) {
  if (!traits(instance.kind).windows) return;
  const Scheduler scheduler(instance);
  Json& list = object["schedule"] = Json::array();
  for (const auto& route : solution.routes)
    if (!route.empty()) list.push_back(route_json(instance, scheduler.schedule(route)));
}

void put_rounding(Json& object, std::span<const Instance> instances) {
  const auto same = [&](const Instance& instance) { return instance.metric == instances[0].metric; };
  if (!std::all_of(instances.begin(), instances.end(), same))
    object["rounding"] = "mixed";
  else if (const std::string_view name = rounding_name(instances[0].metric); !name.empty())
    object["rounding"] = name;
}

}  // namespace neuopt::cli
