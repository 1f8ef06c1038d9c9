// The file that a run under mpirun writes, which a later run can continue. It grows under its own name, a line for each
// instance from the first on. Beside it a file with the ending .run says what it is of: the set, the model, the seed
// and the settings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "neuopt.h"

namespace neuopt::cli::mpi {

class RunFile {
 public:
  /// `identity` decides what may be continued: a field for each thing that the lines depend on.
  /// Throws InputError: with `resume` when the file is of another identity or damaged, without it when the file is of
  /// an unfinished run, and when another process writes it. ResourceError when it cannot be written.
  RunFile(const std::string& path, const nlohmann::ordered_json& identity, const std::vector<Instance>& instances,
          bool resume);
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;
  ~RunFile();

  /// What the file held already, without solutions.
  std::vector<SolveResult>& continued() { return continued_; }

  /// Throws ResourceError when the bytes cannot be written.
  void append(std::string_view bytes);

 private:
  void open();
  void take_lines(const std::vector<Instance>& instances);

  std::string path_;
  int descriptor_ = -1;
  std::vector<SolveResult> continued_;
};

}  // namespace neuopt::cli::mpi
