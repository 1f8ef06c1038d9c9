// The folder of a training run:
//   config.toml            the settings, complete
//   log.jsonl              one JSON object for each batch and validation
//   checkpoints/           the newest three, batch-NNNNNN.safetensors
//   model.safetensors      the newest weights as a model file
//   average.safetensors    their average, where the run keeps one
//   best.safetensors       the weights or the average of the best validation
//   lock                   empty; held by the process that works on the run
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace neuopt::train {

/// While it lives, no other process works on the run.
class RunLock {
 public:
  RunLock() = default;
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RunLock& operator=(RunLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~RunLock();

 private:
  int descriptor_ = -1;
};

class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}

  /// Makes the folder. Throws InputError when it already holds a run or what is left of one, ResourceError when it
  /// cannot be made.
  void create() const;
  /// Makes what there is not of it yet. Throws ResourceError when it cannot be made.
  void make() const;
  /// Throws InputError when another process works on the run. Where the file system knows no locks there are none.
  RunLock lock() const;

  std::string path() const { return path_; }
  std::string config_file() const { return path_ + "/config.toml"; }
  std::string log_file() const { return path_ + "/log.jsonl"; }
  std::string model_file() const { return path_ + "/model.safetensors"; }
  std::string average_file() const { return path_ + "/average.safetensors"; }
  std::string best_model_file() const { return path_ + "/best.safetensors"; }
  std::string checkpoint_file(int batches_done) const;

  /// The newest first.
  std::vector<std::string> checkpoints() const;
  /// What shows that a checkpoint was written once, whether it is still there or not: a model, which is written after
  /// the first one, or a log of batches beyond the interval; empty when nothing does.
  std::string trace_of_checkpoints(int interval) const;
  /// Keeps three: the one after this many batches, just written, and those before it. Newer ones are left from before
  /// a resume that could not read them; their batches are being made again.
  void remove_other_checkpoints(int batches_done) const;

  void append_log(const nlohmann::ordered_json& line) const;
  /// Drops what the log says after this many batches, and a last line that was cut short; -1: all of it.
  void rewind_log(int batches_done) const;

 private:
  /// A file that a run has written; empty when there is none.
  std::string remains() const;

  std::string path_;
};

}  // namespace neuopt::train
