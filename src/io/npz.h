// numpy's .npz format: a zip archive of .npy arrays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tensor.h"

namespace neuopt {

class ZipArchive;

/// The arrays of one file. Opening reads the directory only; an array is decoded when it is asked for, since traces
/// have thousands of them.
class NpzFile {
 public:
  /// Throws InputError when the file cannot be read or its directory is wrong.
  static NpzFile open(const std::string& path);
  /// The same for bytes in memory; errors start with `file`. An array may take `memory` bytes; 0: what is free.
  static NpzFile parse(std::string bytes, const std::string& file, double memory = 0);

  /// Names of the arrays (without ".npy"), in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const;

  /// Decodes one array. Throws InputError, naming the file and the array, when it is missing, damaged or larger than
  /// the memory: compressed ones may be a thousand times as large as the file.
  Tensor tensor(const std::string& name) const;

  /// Name for messages, as given at opening.
  const std::string& file() const { return file_; }

 private:
  NpzFile(std::shared_ptr<const ZipArchive> archive, const std::string& file, double memory);

  std::shared_ptr<const ZipArchive> archive_;
  std::vector<std::string> names_;
  std::string file_;
  double memory_;
};

/// All arrays of a file's bytes; errors start with `file`.
NamedTensors parse_npz(std::string bytes, const std::string& file);

/// The bytes of an .npz file (stored, not compressed; the same tensors give the same bytes).
std::string format_npz(const NamedTensors& tensors);
void write_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace neuopt
