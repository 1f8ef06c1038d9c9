#include "io/sealed_file.h"

#include <fmt/format.h>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace neuopt {
namespace {

/// Of the metadata (but the checksum itself) and of every tensor.
std::string checksum_of(const SafeTensors& content) {
  Checksum checksum;
  for (const auto& [key, value] : content.metadata)
    if (key != "checksum") checksum.add(fmt::format("{}={}\n", key, value));
  for (const auto& [name, tensor] : content.tensors) {
    checksum.add(name + shape_text(tensor.shape) + dtype_name(tensor.dtype));
    checksum.add(tensor.bytes.data(), tensor.bytes.size());
  }
  return fmt::format("fnv1a64:{:016x}", checksum.value());
}

}  // namespace

SealedFile SealedFile::parse(std::string_view bytes, const std::string& path, const SealedKind& kind) {
  SealedFile file(parse_safetensors(bytes, path), path, kind);
  file.check_identity();
  return file;
}

SealedFile SealedFile::read(const std::string& path, const SealedKind& kind) {
  return parse(read_file(path), path, kind);
}

void SealedFile::fail(const std::string& message) const {
  throw InputError(path_, 0, fmt::format("damaged {}: {}", kind_.name, message));
}

void SealedFile::fail_expected(const std::string& key, const char* expected) const {
  fail(fmt::format("'{}' is {}, expected {}", key, quote_bytes(text(key)), expected));
}

void SealedFile::check_identity() const {
  const auto format = metadata().find("format");
  if (format == metadata().end() || format->second != kind_.format) throw InputError(path_, 0, kind_.stranger);
  const auto version = metadata().find("version");
  if (version == metadata().end() || version->second != kind_.version) {
    const std::string found = version == metadata().end() ? "none" : quote_bytes(version->second);
    throw InputError(path_, 0,
                     fmt::format("{} of version {}, this program reads version {}", kind_.name, found, kind_.version));
  }
  if (const std::string actual = checksum_of(content_); actual != text("checksum"))
    fail(fmt::format("the checksum is {}, the file says {}", actual, quote_bytes(text("checksum"))));
}

const std::string& SealedFile::text(std::string_view key) const {
  const auto found = metadata().find(std::string(key));
  if (found == metadata().end()) fail(fmt::format("its metadata have no '{}'", key));
  return found->second;
}

int SealedFile::whole(const std::string& key) const {
  const std::optional<long long> value = parse_integer(text(key));
  if (!value || *value < 0 || *value > 1'000'000'000) fail_expected(key, "a whole number");
  return static_cast<int>(*value);
}

double SealedFile::number(const std::string& key) const {
  const std::optional<double> value = parse_number(text(key));
  if (!value) fail_expected(key, "a number");
  return *value;
}

bool SealedFile::flag(const std::string& key) const {
  if (text(key) != "true" && text(key) != "false") fail_expected(key, "true or false");
  return text(key) == "true";
}

void write_sealed_file(const std::string& path, SafeTensors content, const SealedKind& kind) {
  content.metadata["format"] = kind.format;
  content.metadata["version"] = kind.version;
  content.metadata["checksum"] = checksum_of(content);
  write_safetensors(path, content);
}

}  // namespace neuopt
