#include "train/reports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace neuopt::train {
namespace {

void add_points(nlohmann::ordered_json& line, const std::vector<ValidationPoint>& points, const char* suffix) {
  for (const ValidationPoint& point : points) {
    line[fmt::format("cost_{}{}", point.steps, suffix)] = point.mean_cost;
    if (point.gap_percent) line[fmt::format("gap_{}{}", point.steps, suffix)] = *point.gap_percent;
  }
}

}  // namespace

nlohmann::ordered_json log_line(const BatchReport& r) {
  nlohmann::ordered_json line{{"event", "batch"},
                              {"batch", r.batch},
                              {"epoch", r.epoch},
                              {"size", r.size},
                              {"seconds", r.seconds},
                              {"total_seconds", r.total_seconds},
                              {"initial_cost", r.initial_cost},
                              {"start_cost", r.start_cost},
                              {"final_cost", r.final_cost},
                              {"policy_loss", r.policy_loss},
                              {"value_loss", r.value_loss},
                              {"entropy", r.entropy},
                              {"actor_norm", r.actor_norm},
                              {"critic_norm", r.critic_norm},
                              {"actor_rate", r.actor_rate},
                              {"steps", r.steps},
                              {"curriculum_steps", r.curriculum_steps},
                              {"skipped", r.skipped}};
  if (r.group) {
    if (!r.group->explained)
      for (const char* of_the_critic : {"value_loss", "critic_norm"}) line.erase(of_the_critic);
    line["improved_branches"] = r.group->improved_branches;
    line["improved_groups"] = r.group->improved_groups;
    line["rms_advantage"] = r.group->rms_advantage;
    if (r.group->explained) line["explained"] = *r.group->explained;
    if (r.group->missed) line["missed"] = *r.group->missed;
    if (r.group->missed_probability) line["missed_probability"] = *r.group->missed_probability;
  }
  return line;
}

nlohmann::ordered_json log_line(const ValidationReport& r) {
  nlohmann::ordered_json line{{"event", "validation"}, {"batch", r.batch}, {"seconds", r.seconds}};
  add_points(line, r.points, "");
  add_points(line, r.average, "_average");
  return line;
}

}  // namespace neuopt::train
