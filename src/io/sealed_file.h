// Our own files of tensors, models and checkpoints: safetensors whose metadata say what the file is, with a checksum
// over everything in it, so that no damaged byte goes unseen.
#pragma once

#include <string>
#include <string_view>

#include "io/safetensors.h"

namespace neuopt {

/// What a sealed file holds.
struct SealedKind {
  const char* name;      // in messages: "model"
  const char* format;    // in the metadata: "neuopt-model"
  const char* version;   // that this program reads and writes
  const char* stranger;  // what is said of a safetensors file that is of no such kind
};

class SealedFile {
 public:
  /// Throws InputError when the bytes are not of this kind and version, or were altered.
  static SealedFile parse(std::string_view bytes, const std::string& path, const SealedKind& kind);
  static SealedFile read(const std::string& path, const SealedKind& kind);

  const NamedTensors& tensors() const { return content_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return content_.metadata; }

  // Entries of the metadata. Throw InputError when they are not there or not what they should be.
  // Keys are views: g++ 13 takes a temporary string for what is returned.
  const std::string& text(std::string_view key) const;
  int whole(const std::string& key) const;  // 0 to 10^9
  double number(const std::string& key) const;
  bool flag(const std::string& key) const;

 private:
  SealedFile(SafeTensors content, const std::string& path, const SealedKind& kind)
      : content_(std::move(content)), path_(path), kind_(kind) {}
  void check_identity() const;
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_expected(const std::string& key, const char* expected) const;

  SafeTensors content_;
  std::string path_;
  SealedKind kind_;
};

/// Writes tensors and metadata with format, version and checksum added. Replaces the file atomically.
void write_sealed_file(const std::string& path, SafeTensors content, const SealedKind& kind);

}  // namespace neuopt
