// neuopt info: what a model is and where it comes from.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "search/model_choice.h"

namespace neuopt::cli {
namespace {

struct InfoOptions {
  std::string model;
  bool json = false;
};

nlohmann::ordered_json describe(const std::string& path, const policy::Model& model) {
  const policy::Architecture& a = model.architecture;
  nlohmann::ordered_json object;
  object["model"] = path;
  object["problem"] = problem_name(a.problem);
  object["trained_size"] = model.trained_size;
  object["checksum"] = model.checksum;
  object["max_moves"] = a.max_moves;
  object["logit_bound"] = a.logit_bound;
  object["parameters"] = policy::parameter_count(model.weights.specs());
  object["dim"] = a.dim;
  object["heads"] = a.heads;
  object["layers"] = a.layers;
  object["feed_forward"] = a.feed_forward;
  object["exploration_features"] = a.exploration_features;
  object["violation_features"] = a.violation_features;
  object["prospects"] = a.prospects;
  object["foresight"] = a.foresight;
  object["recurrent"] = a.recurrent;
  object["move_stream"] = a.move_stream;
  object["edge_stream"] = a.edge_stream;
  object["random_start_move"] = a.random_start_move;
  object["fixed_k"] = a.fixed_k;
  object["masking"] = a.masking;
  object["provenance"] = model.provenance;
  return object;
}

std::string text_of(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_text(const nlohmann::ordered_json& object) {
  for (const auto& [key, value] : object.items()) {
    if (key == "provenance") continue;
    fmt::print("{:<26} {}\n", key, text_of(value));
  }
  for (const auto& [key, value] : object["provenance"].items())
    fmt::print("{:<26} {}\n", "provenance." + key, text_of(value));
}

/// One line, or one object in a list, for each model that is part of the program.
int list_bundled(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const search::BundledModel& bundled : search::bundled_models()) {
    const auto model = search::load_named_model(std::string(bundled.name), {&bundled, 1}).model;
    list.push_back({{"model", bundled.name},
                    {"problem", problem_name(model->architecture.problem)},
                    {"trained_size", model->trained_size},
                    {"max_moves", model->architecture.max_moves}});
  }
  if (json) {
    print_json({{"bundled", list}});
    return 0;
  }
  if (list.empty()) fmt::print("this program was built without bundled models\n");
  for (const auto& model : list)
    fmt::print("{:<16} {}, trained on size {}, up to {} moves\n", text_of(model["model"]), text_of(model["problem"]),
               text_of(model["trained_size"]), text_of(model["max_moves"]));
  return 0;
}

int show_model(const InfoOptions& options) {
  if (options.model.empty()) return list_bundled(options.json);
  const search::ChosenModel chosen = search::load_named_model(options.model);
  const nlohmann::ordered_json object = describe(chosen.name, *chosen.model);
  if (options.json)
    print_json(object);
  else
    print_text(object);
  return 0;
}

}  // namespace

void add_info(CLI::App& program, Job& job) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand("info", "Describe a model, or list the bundled ones");
  command->add_option("model", options->model, "Model: a file, or the name of a bundled one [list the bundled ones]");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return show_model(*options); }; });
}

}  // namespace neuopt::cli
