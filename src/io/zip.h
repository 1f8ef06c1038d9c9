// The part of the zip format that npz files and PyTorch checkpoints use: one disk, entries stored or deflated, zip64
// sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neuopt {

/// CRC-32 as zip uses it (polynomial 0xEDB88320, reflected).
std::uint32_t crc32_of(std::string_view bytes);

/// An archive in memory. The directory is checked at construction, an entry when it is extracted.
class ZipArchive {
 public:
  /// Throws InputError (starting with `file`) when this is not a zip archive or its directory is wrong.
  ZipArchive(std::string bytes, std::string file);

  /// Names in the order of the directory; a name that occurs twice was refused.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const { return entries_.count(name) > 0; }
  /// Bytes of an entry's content, which must be there, as the directory claims.
  std::uint64_t size_of(const std::string& name) const { return entries_.at(name).size; }

  /// The content of an entry, which must be there; its size and checksum are verified. Throws InputError when the
  /// entry is damaged or compressed in a way that this build does not read.
  std::string extract(const std::string& name) const;
  /// The same for an entry that must not be compressed, without copying it; lives as long as the archive.
  std::string_view stored(const std::string& name) const;

  /// Bytes of the whole archive.
  std::size_t size() const { return bytes_.size(); }

 private:
  struct Entry {
    std::uint64_t header_offset = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
  };
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t count = 0;
  };

  [[noreturn]] void fail(const std::string& message) const;
  Directory find_directory() const;
  void read_directory(const Directory& directory);
  /// Replaces the sizes that did not fit into 32 bits by those of the zip64 extra field.
  void apply_zip64(std::string_view extra, Entry& entry) const;
  std::string_view packed_bytes(const Entry& entry, const std::string& label) const;
  std::string entry_label(const std::string& name) const;
  static void check_crc(std::string_view content, const Entry& entry, const std::string& label);

  std::string bytes_;
  std::string file_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Entry> entries_;
};

/// Builds an archive of stored entries. Time stamps are fixed: the same content gives the same bytes.
class ZipWriter {
 public:
  /// Throws InputError when the archive would need zip64 (4 GiB, 65535 entries).
  void add(const std::string& name, std::string_view content);
  /// Ends the archive and returns its bytes.
  std::string finish();

 private:
  std::string bytes_;
  std::string directory_;
  std::uint32_t count_ = 0;
};

}  // namespace neuopt
