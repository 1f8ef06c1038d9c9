#include "train/trainer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "io/npz.h"
#include "policy/model.h"
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/learner.h"
#include "train/run_folder.h"
#include "train/validation.h"

namespace neuopt::train {
namespace {

using Clock = std::chrono::steady_clock;

/// This many updates in a row without a finite gradient end a run.
constexpr double kSkippedLimit = 60;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Tensor host_copy(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  return Tensor(host.sizes().vec(), std::vector<float>(host.data_ptr<float>(), host.data_ptr<float>() + host.numel()));
}

/// What a model says of its settings: files by their names, wherever they lay.
TrainConfig without_folders(TrainConfig config) {
  for (std::string* path : {&config.init, &config.validation})
    *path = std::filesystem::path(*path).lexically_normal().filename().string();
  return config;
}

class TrainingRun {
 public:
  TrainingRun(const TrainConfig& config, const RunOptions& options, const RunObserver& observer)
      : config_(config),
        options_(options),
        observer_(observer),
        folder_(options.folder),
        device_(parse_device(config.device)),
        started_(Clock::now()) {
    use_own_stream(device_);
    if (config.threads > 0) torch::set_num_threads(config.threads);
    learner_ = std::make_unique<Learner>(config, device_);
    validator_ = std::make_unique<Validator>(config, learner_->state().parameters, device_);
    if (options.resume)
      resume();
    else
      begin();
  }

  RunResult run() {
    if (info_.batches_done == 0) validate();
    while (info_.batches_done < config_.total_batches() && !should_stop()) {
      train_batch();
      const int done = info_.batches_done;
      const bool last = done == config_.total_batches();
      if (!should_stop() && (last || done % config_.validation_interval == 0)) validate();
      if (last || done % config_.checkpoint_interval == 0) checkpoint();
    }
    if (saved_at_ != info_.batches_done) {
      if (validated_at_ != info_.batches_done) validate();
      checkpoint();
    }
    return {info_.batches_done >= config_.total_batches(), info_.batches_done, folder_.model_file()};
  }

 private:
  void begin() {
    if (!config_.init.empty()) warm_start();
    folder_.create();
    write_file(folder_.config_file(), format_train_config(config_));
  }

  /// Restores the newest checkpoint of a run that can be read; nothing when the run has none. Throws InputError when it
  /// has some but none will do.
  std::optional<CheckpointInfo> load_newest(const RunFolder& folder) {
    std::string reason;
    for (const std::string& file : folder.checkpoints()) {
      try {
        const CheckpointInfo info = load_checkpoint(file, learner_->state());
        say(fmt::format("starting from {}", file));
        return info;
      } catch (const InputError& error) {
        reason = error.what();
        say(reason);
      }
    }
    if (!reason.empty()) throw InputError(folder.path(), 0, fmt::format("no checkpoint will do: {}", reason));
    return std::nullopt;
  }

  /// From a model, or from another run, which brings the critic and the optimiser as well.
  void warm_start() {
    if (std::filesystem::is_directory(config_.init)) {
      if (!load_newest(RunFolder(config_.init)))
        throw InputError(config_.init, 0, "this run has no checkpoint to start from");
      learner_->state().forget_progress();
      return;
    }
    const policy::Model model = policy::load_model(config_.init);
    policy::Architecture expected = learner_->state().parameters.architecture();
    expected.max_moves = model.architecture.max_moves;  // K has no tensor: a model may continue with another one
    if (model.architecture != expected)
      throw InputError(config_.init, 0, "the model's network differs from the one in the settings");
    learner_->state().parameters.set_actor(model.weights);
    say(fmt::format("starting from {} (trained for size {})", config_.init, model.trained_size));
  }

  /// The settings may have changed, so they are written again once the state is there.
  void resume() {
    if (const std::optional<CheckpointInfo> newest = load_newest(folder_)) {
      info_ = *newest;
      saved_at_ = info_.batches_done;
      say(fmt::format("continuing {} after batch {}", folder_.path(), info_.batches_done));
    } else {
      say(fmt::format("{} has no checkpoint: starting again", folder_.path()));
      if (!config_.init.empty()) warm_start();
    }
    folder_.rewind_log(info_.batches_done);
    write_file(folder_.config_file(), format_train_config(config_));
  }

  void train_batch() {
    const Clock::time_point start = Clock::now();
    const int number = info_.batches_done;
    const BatchStatistics s = learner_->train_batch(number, [this] { return should_stop(); });
    BatchReport report;
    report.seconds = seconds_since(start);
    info_.seconds += report.seconds;
    ++info_.batches_done;
    report.batch = info_.batches_done;
    report.total_batches = config_.total_batches();
    report.epoch = config_.epoch_of(number);
    report.size = s.size;
    report.initial_cost = s.initial_cost;
    report.start_cost = s.start_cost;
    report.final_cost = s.final_cost;
    report.policy_loss = s.policy_loss;
    report.value_loss = s.value_loss;
    report.entropy = s.entropy;
    report.actor_norm = s.actor_norm;
    report.critic_norm = s.critic_norm;
    report.actor_rate = learner_->state().adam.actor_rate();
    report.skipped = s.skipped;
    report.steps = s.steps;
    report.curriculum_steps = s.curriculum_steps;
    report.milliseconds_per_step = 1000 * report.seconds / (s.steps + s.curriculum_steps);
    report.total_seconds = info_.seconds;
    log(report);
    if (observer_.batch) observer_.batch(report);
    if (s.skipped_in_a_row >= kSkippedLimit) give_up(number, s.skipped_in_a_row);
  }

  void log(const BatchReport& r) {
    folder_.append_log({{"event", "batch"},
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
                        {"skipped", r.skipped}});
  }

  /// The chunk whose gradients are not finite is kept for whoever looks into it.
  [[noreturn]] void give_up(int batch_number, double skipped) {
    const std::string file = fmt::format("{}/nonfinite-batch-{:06}.npz", folder_.path(), batch_number);
    const Chunk& chunk = learner_->chunk();
    write_npz(file, {{"features", host_copy(chunk.states.features)},
                     {"exploration", host_copy(chunk.states.exploration)},
                     {"previous_anchor", host_copy(chunk.states.previous_anchor)},
                     {"costs", host_copy(chunk.states.costs)},
                     {"choices", host_copy(chunk.choices)},
                     {"log_prob", host_copy(chunk.log_prob)},
                     {"rewards", host_copy(chunk.rewards)}});
    throw ResourceError(fmt::format("batch {}: {} updates in a row were not finite; the last states are in {}",
                                    batch_number, skipped, file));
  }

  void validate() {
    const Clock::time_point start = Clock::now();
    ValidationReport report;
    for (const ValidationPoint& point : validator_->run([this] { return out_of_time(); }))
      report.points.push_back({point.steps, point.mean_cost, point.gap_percent});
    report.batch = info_.batches_done;
    report.instances = validator_->instances();
    report.seconds = seconds_since(start);
    if (report.points.size() < config_.validation_steps.size()) return;
    validation_seconds_ = report.seconds;
    nlohmann::ordered_json line{{"event", "validation"}, {"batch", report.batch}, {"seconds", report.seconds}};
    for (const auto& point : report.points) {
      line[fmt::format("cost_{}", point.steps)] = point.mean_cost;
      if (point.gap_percent) line[fmt::format("gap_{}", point.steps)] = *point.gap_percent;
    }
    folder_.append_log(line);
    if (observer_.validation) observer_.validation(report);
    last_validation_ = report.points.back();
    validated_at_ = report.batch;
    const double cost = report.points.back().mean_cost;
    if (info_.best_validation == 0 || cost < info_.best_validation) {
      info_.best_validation = cost;
      policy::save_model(folder_.best_model_file(), model());
    }
  }

  void checkpoint() {
    save_checkpoint(folder_.checkpoint_file(info_.batches_done), config_, learner_->state(), info_);
    policy::save_model(folder_.model_file(), model());
    folder_.remove_other_checkpoints(info_.batches_done);
    saved_at_ = info_.batches_done;
  }

  policy::Model model() const {
    policy::Model model;
    model.architecture = learner_->state().parameters.architecture();
    model.weights = learner_->state().parameters.actor_weights();
    model.trained_size = config_.size;
    model.provenance["config"] = format_train_config(without_folders(config_));
    model.provenance["batches"] = fmt::format("{}", info_.batches_done);
    model.provenance["training_seconds"] = fmt::format("{:.0f}", info_.seconds);
    model.provenance["date"] = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    if (last_validation_)
      model.provenance["validation"] = fmt::format("mean cost {:.5f} after {} steps, measured after batch {}",
                                                   last_validation_->mean_cost, last_validation_->steps, validated_at_);
    return model;
  }

  double seconds_left() const {
    if (options_.minutes <= 0) return 1e18;
    return 60 * options_.minutes - options_.seconds_spent - seconds_since(started_);
  }

  bool signalled() const { return options_.stop_requested && options_.stop_requested(); }
  bool out_of_time() const { return signalled() || seconds_left() < 0; }
  /// Leaves time for the last validation and the checkpoint.
  bool should_stop() const { return signalled() || seconds_left() < 1.2 * validation_seconds_ + 2; }

  void say(const std::string& text) const {
    if (observer_.message) observer_.message(text);
  }

  TrainConfig config_;
  RunOptions options_;
  RunObserver observer_;
  RunFolder folder_;
  torch::Device device_;
  Clock::time_point started_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<Validator> validator_;
  CheckpointInfo info_;
  int saved_at_ = -1;      // batches done in the newest checkpoint
  int validated_at_ = -1;  // batches done at the last validation
  double validation_seconds_ = 0;
  std::optional<ValidationReport::Point> last_validation_;
};

}  // namespace

RunResult train(const TrainConfig& config, const RunOptions& options, const RunObserver& observer) {
  return TrainingRun(config, options, observer).run();
}

}  // namespace neuopt::train
