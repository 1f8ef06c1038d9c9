#include "train/trace_file.h"

#include <fmt/format.h>

#include "core/error.h"

namespace neuopt::train {
namespace {

/// Name of an array of search step t.
std::string step(int t, const char* name) { return fmt::format("t{}.{}", t, name); }

policy::Architecture read_architecture(const NpzFile& file) {
  const auto integer = [&](const char* name) { return static_cast<int>(file.tensor(name).to_int64().at(0)); };
  policy::Architecture a;
  a.problem = file.has("meta.dummy") ? ProblemKind::cvrp : ProblemKind::tsp;
  a.dim = integer("meta.dim");
  a.heads = integer("meta.heads");
  a.layers = integer("meta.layers");
  a.max_moves = integer("meta.k");
  a.feed_forward = static_cast<int>(file.tensor("actor.encoder.0.FFandNorm_sublayer.FF.0.weight").shape.at(0));
  a.exploration_features = file.has("actor.decoder.meta_linear.0.weight");
  policy::validate(a, file.file());
  return a;
}

}  // namespace

TraceFile::TraceFile(const std::string& path, torch::Device device) : file_(NpzFile::open(path)), device_(device) {
  if (!file_.has("meta.steps") || !file_.has("ppo.n")) throw InputError(path, 0, "not a trace with an update");
  architecture_ = read_architecture(file_);
  steps_ = static_cast<int>(integer("meta.steps"));
  environment_.kind = architecture_.problem;
  environment_.max_moves = architecture_.max_moves;
  environment_.device = device;
  environment_.customers = static_cast<int>(integer("meta.size"));
  if (traits(architecture_.problem).depots) {
    environment_.depots = static_cast<int>(integer("meta.dummy"));
    environment_.customers -= environment_.depots;
    environment_.epsilon = static_cast<float>(number("meta.epsilon"));
  }
  environment_.gire.history = static_cast<int>(integer("meta.history"));
  environment_.batch = static_cast<int>(file_.tensor("in.coordinates").shape.at(0));
  if (steps_ < update_steps() || update_steps() < 1) throw InputError(path, 0, "fewer steps than the update needs");
}

torch::Tensor TraceFile::real(const std::string& name) const {
  const Tensor tensor = file_.tensor(name);
  return torch::tensor(tensor.to_float(), torch::kFloat32).view(tensor.shape).to(device_);
}

torch::Tensor TraceFile::integers(const std::string& name) const {
  const Tensor tensor = file_.tensor(name);
  return torch::tensor(tensor.to_int64(), torch::kInt64).view(tensor.shape).to(device_);
}

double TraceFile::number(const std::string& name) const { return file_.tensor(name).to_double().at(0); }
std::int64_t TraceFile::integer(const std::string& name) const { return file_.tensor(name).to_int64().at(0); }

torch::Tensor TraceFile::order(int t) const { return integers(step(t, "position")).argsort(1, false); }

torch::Tensor TraceFile::by_position(int t, const std::string& name) const {
  const torch::Tensor rows = real(step(t, name.c_str()));
  return rows.gather(1, order(t).unsqueeze(2).expand_as(rows));
}

Observation TraceFile::observation(int t) const {
  const torch::Tensor anchor = integers(step(t, "last_action")).view({-1, 1});
  const torch::Tensor position = integers(step(t, "position")).gather(1, anchor.clamp_min(0));
  const torch::Tensor previous = torch::where(anchor < 0, torch::full_like(anchor, -1), position);
  return {by_position(t, "node_features"), real(step(t, "es")), previous.view(-1).to(torch::kInt32).contiguous(),
          real(step(t, "obj"))};
}

torch::Tensor TraceFile::choices(int t) const {
  const torch::Tensor nodes = integers(step(t, "action")).narrow(1, 0, architecture_.max_moves);
  return integers(step(t, "position")).gather(1, nodes).to(torch::kInt32).contiguous();
}

}  // namespace neuopt::train
