#include "train/trace_file.h"

#include <fmt/format.h>

#include "core/error.h"

namespace neuopt::train {
namespace {

/// Name of an array of search step t.
std::string step(int t, const char* name) { return fmt::format("t{}.{}", t, name); }

}  // namespace

TraceFile::TraceFile(const std::string& path, torch::Device device)
    : trace_(backends::trace::Trace::open(path)), device_(device) {
  if (!has("ppo.n")) throw InputError(path, 0, "not a trace with an update");
  update_steps_ = static_cast<int>(number("ppo.n"));
  if (steps() < update_steps_ || update_steps_ < 1) throw InputError(path, 0, "fewer steps than the update needs");
  environment_.kind = architecture().problem;
  environment_.max_moves = architecture().max_moves;
  environment_.device = device;
  environment_.depots = trace_.instance(0).depots;
  environment_.customers = trace_.instance(0).customers();
  environment_.epsilon = static_cast<float>(trace_.epsilon());
  environment_.gire.history = trace_.gire(0).history;
  environment_.batch = trace_.batch();
}

policy::Weights TraceFile::critic() const {
  policy::Weights weights(policy::critic_tensors(architecture()));
  NamedTensors tensors;
  for (const policy::TensorSpec& spec : weights.specs())
    tensors["critic." + spec.name] = trace_.file().tensor("critic." + spec.name);
  weights.assign(tensors, "critic.", path());
  return weights;
}

torch::Tensor TraceFile::real(const std::string& name) const {
  const Tensor tensor = trace_.file().tensor(name);
  return torch::tensor(tensor.to_float(), torch::kFloat32).view(tensor.shape).to(device_);
}

torch::Tensor TraceFile::integers(const std::string& name) const {
  const Tensor tensor = trace_.file().tensor(name);
  return torch::tensor(tensor.to_int64(), torch::kInt64).view(tensor.shape).to(device_);
}

double TraceFile::number(const std::string& name) const { return trace_.file().tensor(name).to_double().at(0); }

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
  const torch::Tensor nodes = integers(step(t, "action")).narrow(1, 0, architecture().max_moves);
  return integers(step(t, "position")).gather(1, nodes).to(torch::kInt32).contiguous();
}

}  // namespace neuopt::train
