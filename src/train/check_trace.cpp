#include "train/check_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "policy/logits.h"
#include "train/adam.h"
#include "train/device.h"
#include "train/ppo.h"
#include "train/sampler.h"
#include "train/trace_file.h"

namespace neuopt::train {
namespace {

constexpr double kTolerance = 1e-4;          // of everything but gradients
constexpr double kGradientTolerance = 1e-3;  // relative to the norm of the tensor
constexpr double kHalfFactor = 100;          // of both in half precision
// Returns bootstrapped from the critic's own values differ from them by little more than half precision resolves, and
// so the critic's gradients, which are proportional to that difference, are known to a few tenths only.
constexpr double kHalfCriticFactor = 6;
constexpr double kActorRate = 8e-5, kCriticRate = 2e-5;

/// The largest error of each quantity, in the order of first mention.
class ErrorTable {
 public:
  explicit ErrorTable(double factor) : factor_(factor) {}

  void add(const std::string& quantity, const std::string& where, double error, double tolerance = kTolerance,
           std::int64_t values = 1) {
    if (!table_.expects(quantity)) table_.expect(quantity, factor_ * tolerance);
    table_.add(quantity, error, values, where);
  }

  /// Largest difference relative to the largest entry.
  void compare(const std::string& quantity, const std::string& where, const torch::Tensor& found,
               const torch::Tensor& expected) {
    const torch::Tensor a = found.detach().to(torch::kFloat64), b = expected.to(torch::kFloat64);
    const double scale = b.abs().max().item<double>();
    add(quantity, where, (a - b).abs().max().item<double>() / (scale > 0 ? scale : 1), kTolerance, b.numel());
  }

  const backends::trace::Discrepancies& table() const { return table_; }

 private:
  double factor_;  // of all tolerances
  backends::trace::Discrepancies table_;
};

class TraceCheck {
 public:
  TraceCheck(const std::string& path, torch::Device device, const std::string& precision)
      : trace_(path, device),
        parameters_(trace_.architecture(), device),
        environment_(trace_.environment()),
        precision_(choose_precision(precision, device, trace_.architecture(), trace_.environment().nodes())),
        policy_(parameters_, trace_.environment().nodes(), precision_),
        critic_(parameters_),
        sampler_(make_sampler(policy_, parameters_, trace_.environment().nodes(), trace_.environment().batch,
                              precision_ == Precision::fp16)),
        table_(precision_ == Precision::fp16 ? kHalfFactor : 1) {
    apply_precision(precision_);
    parameters_.set_actor(trace_.actor());
    parameters_.set_critic(trace_.critic());
  }

  backends::trace::Discrepancies run() {
    start_environment();
    for (int t = 0; t < trace_.steps(); ++t) {
      check_network(t);
      check_sampling(t);
      check_environment(t);
    }
    check_rewards();
    check_update();
    return table_.table();
  }

 private:
  bool constrained() const { return traits(trace_.architecture().problem).constrained; }

  void start_environment() {
    const torch::Tensor coordinates = trace_.real("in.coordinates");
    const bool loads = trace_.has("in.demand");
    environment_.assign(coordinates.select(2, 0), coordinates.select(2, 1),
                        loads ? trace_.real("in.demand") : torch::Tensor(), trace_.order(0).to(torch::kInt32));
  }

  /// The network on the recorded state of step t.
  void check_network(int t) {
    const torch::NoGradGuard no_grad;
    const std::string where = fmt::format("step {}", t), prefix = fmt::format("t{}.", t);
    const Observation state = trace_.observation(t);
    const torch::Tensor choices = trace_.choices(t);
    const PreparedPolicy prepared = policy_.prepare();
    const torch::Tensor embeddings = policy_.encode(prepared, state.features);
    const DecodePlan plan = policy_.plan(state, choices);
    table_.compare("embeddings", where, embeddings, trace_.by_position(t, "embeddings"));
    const torch::Tensor recorded = recorded_logits(t);
    check_logits(where, policy_.logits(prepared, embeddings, plan, state.exploration), recorded, plan);
    const Evaluation actions = policy_.evaluate(prepared, embeddings, plan, state.exploration, choices);
    table_.compare("log_prob", where, actions.log_prob, trace_.real(prefix + "log_prob"));
    table_.compare("entropy", where, actions.entropy, recorded_entropy(recorded, plan));
    table_.compare("value", where, critic_.values(embeddings, state.costs, state.exploration),
                   trace_.real(prefix + "value"));
  }

  /// Actions drawn from the recorded state of step t: the network that learns finds them as likely as the sampler.
  void check_sampling(int t) {
    const torch::NoGradGuard no_grad;
    const Observation state = trace_.observation(t);
    const torch::Tensor choices = torch::zeros_like(trace_.choices(t));
    const torch::Tensor log_prob = torch::zeros({choices.size(0)}, state.costs.options());
    const SampleKey key{1, Stream::searches, torch::zeros({2}, choices.options().dtype(torch::kInt64))};
    sampler_->take_weights();
    sampler_->sample(state, key, choices, log_prob);
    const PreparedPolicy prepared = policy_.prepare();
    const DecodePlan plan = policy_.plan(state, choices);
    const Evaluation actions =
        policy_.evaluate(prepared, policy_.encode(prepared, state.features), plan, state.exploration, choices);
    table_.compare("sampled log_prob", fmt::format("step {}", t), log_prob, actions.log_prob);
  }

  /// (B, K, N) with columns in tour order.
  torch::Tensor recorded_logits(int t) const {
    const torch::Tensor logits = trace_.real(fmt::format("t{}.logits", t));
    return logits.gather(2, trace_.order(t).unsqueeze(1).expand_as(logits));
  }

  void check_logits(const std::string& where, const torch::Tensor& found, const torch::Tensor& recorded,
                    const DecodePlan& plan) {
    const torch::Tensor active = plan.active.unsqueeze(2), recorded_legal = recorded > policy::kIllegalLogit / 2;
    const torch::Tensor wrong = active.logical_and(recorded_legal != plan.legal);
    table_.add("legal choices", where, static_cast<double>(wrong.sum().item<std::int64_t>()), 0, wrong.numel());
    const torch::Tensor used = active.logical_and(recorded_legal).logical_and(plan.legal);
    const torch::Tensor zero = torch::zeros_like(found);
    table_.compare("logits", where, torch::where(used, found, zero), torch::where(used, recorded, zero));
  }

  /// From the recorded logits: the recorded entropies also count the steps after an E-move, which mean nothing.
  torch::Tensor recorded_entropy(const torch::Tensor& logits, const DecodePlan& plan) const {
    const torch::Tensor log_probs = torch::log_softmax(logits.to(torch::kFloat64), -1);
    const torch::Tensor entropy = -(log_probs.exp() * log_probs.clamp_min(-100)).sum(-1);
    return (entropy * plan.active).sum(1) / static_cast<double>(logits.size(1));
  }

  /// One step of the environment with the recorded choices, and what it sees before and after.
  void check_environment(int t) {
    const std::string where = fmt::format("step {}", t), prefix = fmt::format("t{}.", t);
    Observation seen = environment_.empty_observation(trace_.environment().batch);
    environment_.observe(seen);
    const Observation expected = trace_.observation(t);
    table_.compare("node features", where, seen.features, expected.features);
    if (constrained()) table_.compare("ES features", where, seen.exploration, expected.exploration);
    table_.compare("previous anchor", where, seen.previous_anchor, expected.previous_anchor);
    const torch::Tensor mean_improvement = torch::full({}, trace_.mean_improvement(), seen.costs.options());
    torch::Tensor rewards = torch::zeros_like(seen.costs);
    environment_.step(trace_.choices(t), mean_improvement, rewards);
    rewards_.push_back(rewards);
    recorded_rewards_.push_back(trace_.real(prefix + "reward"));
    environment_.observe(seen);
    table_.compare("costs", where, seen.costs, trace_.real(prefix + "next_obj"));
  }

  /// Recorded improvements are differences of costs in single precision, so that their error is one of the costs.
  void check_rewards() {
    const torch::Tensor found = torch::stack(rewards_), expected = torch::stack(recorded_rewards_);  // (steps, B, 3)
    const double cost = trace_.real("t0.obj").max().item<double>();
    const torch::Tensor difference = (found - expected).abs();
    const std::int64_t values = found.select(2, 0).numel();
    table_.add("improvement / cost", "", difference.select(2, 0).max().item<double>() / cost, kTolerance, values);
    if (!constrained()) return;
    table_.add("bonus / cost", "", difference.select(2, 2).max().item<double>() / cost, kTolerance, values);
    table_.compare("regulation", "", found.select(2, 1), expected.select(2, 1));
  }

  void move_actor() {
    const torch::NoGradGuard no_grad;
    for (const policy::TensorSpec& spec : policy::policy_tensors(trace_.architecture())) {
      torch::Tensor weight = parameters_[fmt::format("actor.{}", spec.name)];
      const torch::Tensor index = torch::arange(spec.count(), weight.options().dtype(torch::kFloat64));
      weight.add_((0.01 * torch::sin(index)).to(torch::kFloat32).view(spec.shape));
    }
  }

  /// The last n steps as one chunk; the environment stands after the last one.
  Chunk last_chunk() const {
    const int n = trace_.update_steps(), batch = trace_.environment().batch;
    std::vector<torch::Tensor> features, exploration, anchors, costs, choices, log_probs, rewards;
    for (int t = trace_.steps() - n; t < trace_.steps(); ++t) {
      const Observation state = trace_.observation(t);
      features.push_back(state.features);
      exploration.push_back(state.exploration);
      anchors.push_back(state.previous_anchor);
      costs.push_back(state.costs);
      choices.push_back(trace_.choices(t));
      log_probs.push_back(trace_.real(fmt::format("t{}.log_prob", t)));
      rewards.push_back(trace_.real(fmt::format("t{}.reward", t)));
    }
    Chunk chunk;
    chunk.states = {torch::cat(features), torch::cat(exploration), torch::cat(anchors), torch::cat(costs)};
    chunk.last = environment_.empty_observation(batch);
    environment_.observe(chunk.last);
    chunk.choices = torch::cat(choices);
    chunk.log_prob = torch::cat(log_probs);
    chunk.rewards = torch::stack(rewards);
    return chunk;
  }

  void check_update() {
    move_actor();
    const Chunk chunk = last_chunk();
    const DecodePlan plan = policy_.plan(chunk.states, chunk.choices);
    const LossParts parts = chunk_loss(policy_, critic_, chunk, plan, trace_.real("ppo.old_value"), PpoOptions{});
    table_.compare("new log_prob", "", parts.log_prob.view({trace_.update_steps(), -1}),
                   trace_.real("ppo.new_log_prob"));
    table_.compare("bootstrap", "", parts.bootstrap, trace_.real("ppo.bootstrap"));
    table_.compare("returns", "", parts.returns, trace_.real("ppo.returns"));
    table_.compare("values", "", parts.values, trace_.real("ppo.values"));
    table_.compare("advantage", "", parts.advantage, trace_.real("ppo.advantage"));
    table_.compare("policy loss", "", parts.policy_loss.view(-1), trace_.real("ppo.policy_loss"));
    table_.compare("value loss", "", parts.value_loss.view(-1), trace_.real("ppo.value_loss"));
    const torch::Tensor loss = parts.policy_loss + parts.value_loss;
    find_gradients(parameters_, loss, parts.log_prob.size(0), precision_);
    check_gradients("actor.", policy::policy_tensors(trace_.architecture()));
    check_gradients("critic.", policy::critic_tensors(trace_.architecture()));
    check_step(loss);
  }

  /// A gradient that is zero but for rounding (a bias before a softmax) is measured against the whole network's norm.
  void check_gradients(const std::string& prefix, const std::vector<policy::TensorSpec>& specs) {
    const double network_norm = trace_.number(prefix == "actor." ? "ppo.grad_norm_actor" : "ppo.grad_norm_critic");
    for (const policy::TensorSpec& spec : specs) {
      const std::string name = prefix + spec.name;
      const torch::Tensor expected = trace_.real(fmt::format("ppo.grad.{}", name));
      const double norm = std::max(expected.norm().item<double>(), 1e-4 * network_norm);
      table_.add(prefix == "actor." ? "actor gradients" : "critic gradients", name,
                 (parameters_.gradient(name) - expected).norm().item<double>() / norm,
                 kGradientTolerance * critic_factor(prefix), spec.count());
    }
  }

  double critic_factor(const std::string& network) const {
    return precision_ == Precision::fp16 && network == "critic." ? kHalfCriticFactor : 1;
  }

  void check_step(const torch::Tensor& loss) {
    Adam adam(parameters_, AdamOptions{});
    adam.set_learning_rates(kActorRate, kCriticRate);
    adam.step(loss);
    table_.compare("actor norm", "", adam.norms.narrow(0, 0, 1), trace_.real("ppo.grad_norm_actor"));
    const double critic_norm = trace_.number("ppo.grad_norm_critic");
    table_.add("critic norm", "", std::abs(adam.norms[1].item<double>() - critic_norm) / critic_norm,
               precision_ == Precision::fp16 ? kGradientTolerance * kHalfCriticFactor : kTolerance);
    for (const policy::TensorSpec& spec : policy::policy_tensors(trace_.architecture())) {
      const double sum =
          parameters_[fmt::format("actor.{}", spec.name)].detach().to(torch::kFloat64).sum().item<double>();
      const double expected = trace_.number(fmt::format("ppo.after.actor.{}.sum", spec.name));
      table_.add("weights after the step", spec.name, std::abs(sum - expected) / std::max(1.0, std::abs(expected)));
    }
  }

  TraceFile trace_;
  Parameters parameters_;
  BatchEnvironment environment_;
  Precision precision_;
  PolicyNetwork policy_;
  CriticNetwork critic_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<torch::Tensor> rewards_, recorded_rewards_;  // (B, 3) of each step
  ErrorTable table_;
};

}  // namespace

backends::trace::Discrepancies check_trace(const std::string& path, const std::string& device, bool plain,
                                           const std::string& precision) {
  set_fused(!plain);
  return TraceCheck(path, parse_device(device), precision).run();
}

}  // namespace neuopt::train
