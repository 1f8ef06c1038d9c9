#include "io/npz.h"

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "io/npy.h"
#include "io/zip.h"

namespace neuopt {
namespace {

constexpr std::string_view suffix = ".npy";
constexpr double kCopiesInMemory = 2;  // of an array while it is decoded: the entry and the tensor

}  // namespace

NpzFile::NpzFile(std::shared_ptr<const ZipArchive> archive, const std::string& file, double memory)
    : archive_(std::move(archive)), file_(file), memory_(memory) {
  for (const std::string& name : archive_->names())
    if (name.size() > suffix.size() && name.ends_with(suffix))
      names_.push_back(name.substr(0, name.size() - suffix.size()));
}

NpzFile NpzFile::open(const std::string& path) { return parse(read_file(path), path); }

NpzFile NpzFile::parse(std::string bytes, const std::string& file, double memory) {
  return NpzFile(std::make_shared<const ZipArchive>(std::move(bytes), file), file, memory);
}

bool NpzFile::has(const std::string& name) const { return archive_->has(name + std::string(suffix)); }

Tensor NpzFile::tensor(const std::string& name) const {
  if (!has(name)) throw InputError(file_, 0, "has no array '" + name + "'");
  const std::string entry = name + std::string(suffix);
  require_memory_to_read(kCopiesInMemory * static_cast<double>(archive_->size_of(entry)), memory_, file_,
                         "the numbers of '" + name + "'");
  return parse_npy(archive_->extract(entry), file_ + ": " + name);
}

NamedTensors parse_npz(std::string bytes, const std::string& file) {
  const NpzFile npz = NpzFile::parse(std::move(bytes), file);
  NamedTensors tensors;
  for (const std::string& name : npz.names()) tensors.emplace(name, npz.tensor(name));
  return tensors;
}

std::string format_npz(const NamedTensors& tensors) {
  ZipWriter writer;
  for (const auto& [name, tensor] : tensors) writer.add(name + std::string(suffix), format_npy(tensor));
  return writer.finish();
}

void write_npz(const std::string& path, const NamedTensors& tensors) { write_file(path, format_npz(tensors)); }

}  // namespace neuopt
