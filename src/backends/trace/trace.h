// A recorded trace: weights, instances and what the network and the environment did with them, step by step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/npz.h"
#include "policy/backend.h"

namespace neuopt::backends::trace {

/// Arrays of one step for all B instances, row by row. Names as in the file, without "tI.".
struct TraceStep {
  std::vector<std::vector<int>> order;    // (B)(N) tours, from the recorded successors
  std::vector<std::vector<int>> choices;  // (B)(K)
  std::vector<int> previous_anchor;       // (B) -1: none
  std::vector<int> position;              // (B, N)
  std::vector<float> features;            // (B, N, features)
  std::vector<float> exploration;         // (B, 9)
  std::vector<double> embeddings;         // (B, N, d)
  std::vector<double> first_scores;       // (heads, B, N, N) attention of layer 0; empty on most steps
  std::vector<double> logits;             // (B, K, N); -1e30: not legal
  std::vector<double> log_prob, entropy;  // (B)

  std::vector<std::vector<int>> next_order;  // (B)(N)
  std::vector<double> reward, next_obj;      // (B, 3)
  std::vector<double> next_exploration;      // (B, 9); empty for the TSP
};

class Trace {
 public:
  /// Reads the header: weights, sizes, instances. Throws InputError when the file is not a trace.
  static Trace open(const std::string& path);

  const std::string& path() const { return path_; }
  const policy::Model& model() const { return model_; }
  int batch() const { return static_cast<int>(instances_.size()); }  // B
  int steps() const { return steps_; }
  int nodes() const { return instances_.front().size(); }  // N
  const SearchInstance& instance(int index) const { return instances_.at(static_cast<std::size_t>(index)); }
  float mean_improvement() const { return mean_improvement_; }  // E[r]
  double epsilon() const { return epsilon_; }                   // bound of epsilon-feasibility; 0 without constraints

  /// The GIRE parameters of the recording. They have one bound of epsilon-feasibility for all instances, so that zeta
  /// is an instance's own.
  env::GireParameters gire(int index) const;

  TraceStep step(int index) const;
  /// (N, d)
  std::vector<double> positional_encoding() const { return file_.tensor("cpe").to_double(); }
  /// All other arrays.
  const NpzFile& file() const { return file_; }

 private:
  explicit Trace(NpzFile file) : file_(std::move(file)) {}
  void read_instances();
  std::vector<double> array(const std::string& name, const Shape& shape) const;
  std::vector<int> integers(const std::string& name, const Shape& shape) const;
  std::vector<std::vector<int>> tours(const std::string& name) const;

  NpzFile file_;
  std::string path_;
  policy::Model model_;
  std::vector<SearchInstance> instances_;
  int steps_ = 0;
  int history_ = 0;
  double epsilon_ = 0;
  float mean_improvement_ = 0;
};

}  // namespace neuopt::backends::trace
