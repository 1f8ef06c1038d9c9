#include "train/trainer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "io/npz.h"
#include "policy/model.h"
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/learner.h"
#include "train/run_clock.h"
#include "train/run_folder.h"
#include "train/validation.h"
#include "train/warm_start.h"

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

/// What a model says of its validation.
std::string validation_text(const ValidationPoint& point, int batch) {
  return fmt::format("mean cost {:.5f} after {} steps, measured after batch {}", point.mean_cost, point.steps, batch);
}

/// What a validation measures.
std::string validated_on(const TrainConfig& config) {
  const std::string of = config.validation.empty() ? fmt::format("size {}, capacity {}, seed {}", config.size,
                                                                 config.capacity, config.validation_seed)
                                                   : config.validation;
  return fmt::format("{} instances of {}, {} steps, stall_limit {}", config.validation_count, of,
                     config.validation_steps.back(), config.stall_limit);
}

/// How many batches made the model in the file; -1 when there is none that says it.
int batches_of_model(const std::string& file) {
  if (!std::filesystem::exists(file)) return -1;
  try {
    return std::stoi(policy::load_model(file).provenance.at("batches"));
  } catch (const std::exception&) {
    return -1;
  }
}

class TrainingRun {
 public:
  TrainingRun(const TrainConfig& config, const RunOptions& options, const RunObserver& observer)
      : config_(config),
        options_(options),
        observer_(observer),
        folder_(options.folder),
        device_(prepare_device(config.device, config.threads)),
        clock_(options.minutes, options.total_minutes, options.seconds_spent) {
    if (const std::string how = team().meet(device_); !how.empty()) say(how);
    TrainConfig together = config;
    together.graphs = config.graphs && team().size() == 1;  // a captured update cannot ask the others
    learner_ = std::make_unique<Learner>(together, device_);
    learner_->state().team = options.team;
    validator_ = std::make_unique<Validator>(config, device_);
    if (options.resume)
      resume();
    else
      begin();
    keep_time_back();
  }

  RunResult run() {
    if (info_.batches_done == 0) validate();
    const int before = info_.batches_done;
    while (info_.batches_done < config_.total_batches() && !should_stop()) {
      train_batch();
      const int done = info_.batches_done;
      const bool last = done == config_.total_batches();
      if (!should_stop() && (last || done % config_.validation_interval == 0)) validate();
      if (last || done % config_.checkpoint_interval == 0) checkpoint();
    }
    const int done = info_.batches_done;
    const bool unseen = done > before && validated_at_ != done;  // also when its time was up at a checkpoint
    if (unseen) validate();
    if (unseen || saved_at_ != done) checkpoint();
    return {info_.batches_done >= config_.total_batches(), info_.batches_done,
            config_.average > 0 ? folder_.average_file() : folder_.model_file()};
  }

 private:
  void begin() {
    if (!config_.init.empty()) warm_start(config_, learner_->state(), teller());
    if (!team().leads()) return;
    folder_.create();
    lock_ = folder_.lock();
    write_file(folder_.config_file(), format_train_config(config_));
  }

  /// The settings may have changed, so they are written again once the state is there.
  void resume() {
    if (team().leads()) lock_ = folder_.lock();
    if (const std::optional<CheckpointInfo> newest = load_newest(folder_, learner_->state(), teller())) {
      info_ = *newest;
      clock_.continue_after(info_.wall_seconds);
      if (!info_.validated_on.empty() && info_.validated_on != validated_on(config_)) info_.best_validation = 0;
      saved_at_ = info_.batches_done;
      say(fmt::format("continuing {} after batch {}", folder_.path(), info_.batches_done));
    } else {
      // With the settings that the run had, not those it is given now.
      const int interval = read_train_config(folder_.config_file()).checkpoint_interval;
      if (const std::string trace = folder_.trace_of_checkpoints(interval); !trace.empty())
        throw InputError(
            folder_.path(), 0,
            fmt::format("the checkpoints are gone, {} shows that there were some; bring them back, or begin "
                        "another run in another folder (--run)",
                        trace));
      say(fmt::format("{} has no checkpoint: starting again", folder_.path()));
      if (!config_.init.empty()) warm_start(config_, learner_->state(), teller());
    }
    if (!team().leads()) return;
    folder_.make();  // a copy of a run may come without the empty folder of its checkpoints
    folder_.rewind_log(saved_at_);
    write_file(folder_.config_file(), format_train_config(config_));
    if (saved_at_ >= 0 && folder_.checkpoints().at(0) == folder_.checkpoint_file(saved_at_)) catch_up();
  }

  void train_batch() {
    const Clock::time_point start = Clock::now();
    const int number = info_.batches_done;
    BatchReport report{learner_->train_batch(
        number, [this] { return team().of_first(progress()); }, [this] { return should_stop(); })};
    report.seconds = seconds_since(start);
    info_.seconds += report.seconds;
    ++info_.batches_done;
    report.batch = info_.batches_done;
    report.total_batches = config_.total_batches();
    report.epoch = config_.epoch_of(number);
    report.milliseconds_per_step = 1000 * report.seconds / (report.steps + report.curriculum_steps);
    report.total_seconds = info_.seconds;
    report.seconds_left = std::min((report.total_batches - report.batch) * report.seconds, clock_.seconds_left());
    if (team().leads()) folder_.append_log(log_line(report));
    if (team().leads() && observer_.batch) observer_.batch(report);
    if (!std::isfinite(report.initial_cost))
      throw InputError(
          fmt::format("depots is {}: too few for the starts of {} customers", config_.depots, report.size));
    if (report.skipped_in_a_row >= kSkippedLimit) give_up(number, report.skipped_in_a_row);
  }

  /// The rows whose gradients are not finite are kept for whoever looks into it.
  [[noreturn]] void give_up(int batch_number, double skipped) {
    if (!team().leads())
      throw ResourceError(fmt::format("batch {}: {} updates were not finite", batch_number, skipped));
    const std::string file = fmt::format("{}/nonfinite-batch-{:06}.npz", folder_.path(), batch_number);
    const Rows& rows = learner_->last_rows();
    write_npz(file, {{"features", host_copy(rows.states.features)},
                     {"exploration", host_copy(rows.states.exploration)},
                     {"previous_anchor", host_copy(rows.states.previous_anchor)},
                     {"costs", host_copy(rows.states.costs)},
                     {"choices", host_copy(rows.choices)},
                     {"log_prob", host_copy(rows.log_prob)}});
    throw ResourceError(fmt::format("batch {}: {} updates in a row were not finite; the last states are in {}",
                                    batch_number, skipped, file));
  }

  /// The weights and their average side by side. Reports nothing when time runs out meanwhile.
  void validate() {
    if (!team().leads()) return;
    const Clock::time_point start = Clock::now();
    const LearningState& state = learner_->state();
    const auto points_of = [&](const torch::Tensor& weights) {
      return validator_->run(weights, [this] { return signalled() || clock_.is_over(); });
    };
    ValidationReport report;
    report.points = points_of(state.parameters.actor().of(state.parameters.flat()));
    if (state.average.kept())  // at the start the two are the same
      report.average = state.average.counts == 1 ? report.points : points_of(state.average.weights);
    report.batch = info_.batches_done;
    report.instances = validator_->instances();
    report.seconds = seconds_since(start);
    const std::size_t complete = config_.validation_steps.size();
    if (report.points.size() < complete || (state.average.kept() && report.average.size() < complete)) return;
    info_.validation_seconds = report.seconds;
    info_.validated_on = validated_on(config_);
    keep_time_back();
    folder_.append_log(log_line(report));
    if (observer_.validation) observer_.validation(report);
    validated_at_ = report.batch;
    info_.validation = validation_text(report.points.back(), report.batch);
    if (state.average.kept()) info_.average_validation = validation_text(report.average.back(), report.batch);
    keep_if_best(report.points.back().mean_cost, false);
    if (state.average.kept()) keep_if_best(report.average.back().mean_cost, true);
  }

  void keep_if_best(double cost, bool of_average) {
    if (info_.best_validation != 0 && cost >= info_.best_validation) return;
    info_.best_validation = cost;
    policy::save_model(folder_.best_model_file(), model(of_average));
  }

  void checkpoint() {
    saved_at_ = info_.batches_done;
    info_.wall_seconds = clock_.seconds();
    if (!team().leads()) return;
    save_checkpoint(folder_.checkpoint_file(info_.batches_done), config_, learner_->state(), info_);
    save_model(false);
    if (learner_->state().average.kept())
      save_model(true);
    else
      std::filesystem::remove(folder_.average_file());  // one kept before would pass for that of these weights
    folder_.remove_other_checkpoints(info_.batches_done);
  }

  /// What comes after the newest checkpoint, where the run was killed before it came to that.
  void catch_up() {
    if (batches_of_model(folder_.model_file()) != saved_at_) save_model(false);
    if (learner_->state().average.kept() && batches_of_model(folder_.average_file()) != saved_at_) save_model(true);
    folder_.remove_other_checkpoints(saved_at_);
  }

  void save_model(bool of_average) const {
    policy::save_model(of_average ? folder_.average_file() : folder_.model_file(), model(of_average));
  }

  policy::Model model(bool of_average) const {
    const LearningState& state = learner_->state();
    policy::Model model;
    model.architecture = state.parameters.architecture();
    model.weights =
        of_average ? state.parameters.actor_weights(state.average.weights) : state.parameters.actor_weights();
    model.trained_size = config_.size;
    model.provenance["config"] = format_train_config(without_folders(config_));
    model.provenance["batches"] = fmt::format("{}", info_.batches_done);
    model.provenance["training_seconds"] = fmt::format("{:.0f}", info_.seconds);
    model.provenance["date"] = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    if (of_average) model.provenance["weights"] = fmt::format("average over {} rollouts", config_.average);
    const std::string& validation = of_average ? info_.average_validation : info_.validation;
    if (!validation.empty()) model.provenance["validation"] = validation;
    return model;
  }

  /// Of the run, from 0 to 1: by its batches or by the time it has, whichever is further.
  double progress() const {
    const double of_batches = static_cast<double>(info_.batches_done) / config_.total_batches();
    return std::max(of_batches, clock_.progress());
  }

  /// For the last validation and the checkpoint.
  void keep_time_back() { clock_.keep_back(1.2 * info_.validation_seconds + 2); }

  bool signalled() const { return options_.stop_requested && options_.stop_requested(); }
  /// All members are asked, and all get the same answer.
  bool should_stop() const { return team().any(signalled() || clock_.must_end_learning()); }

  void say(const std::string& text) const {
    if (team().leads() && observer_.message) observer_.message(text);
  }
  Teller teller() const {
    return [this](const std::string& text) { say(text); };
  }

  Team& team() const { return *options_.team; }

  TrainConfig config_;
  RunOptions options_;
  RunObserver observer_;
  RunFolder folder_;
  RunLock lock_;
  torch::Device device_;
  RunClock clock_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<Validator> validator_;
  CheckpointInfo info_;
  int saved_at_ = -1;      // batches done in the newest checkpoint
  int validated_at_ = -1;  // batches done at the newest validation of this process
};

}  // namespace

RunResult train(const TrainConfig& config, const RunOptions& options, const RunObserver& observer) {
  try {
    return TrainingRun(config, options, observer).run();
  } catch (const c10::Error& error) {  // out of memory, most often; what() has pages of addresses
    throw ResourceError(error.what_without_backtrace());
  }
}

}  // namespace neuopt::train
