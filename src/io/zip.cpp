#include "io/zip.h"

#include <array>
#include <limits>

#include "core/error.h"
#include "core/text.h"
#include "io/byte_view.h"
#include "io/inflate.h"

namespace neuopt {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
constexpr std::size_t end_size = 22;
constexpr std::size_t locator64_size = 20;
constexpr std::uint16_t zip64_field = 1;
constexpr std::uint32_t see_zip64 = 0xFFFFFFFF;
constexpr std::uint16_t encrypted_flag = 1;
constexpr std::uint16_t stored_method = 0;
constexpr std::uint16_t deflated_method = 8;
// 1 January 1980, the first day of the format.
constexpr std::uint16_t fixed_date = (1 << 5) | 1;

std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? (value >> 1) ^ 0xEDB88320u : value >> 1;
    table[i] = value;
  }
  return table;
}

/// A number of a record whose extent was checked before.
template <typename Number>
Number field(std::string_view record, std::size_t offset) {
  return load_number<Number>(record, offset).value();
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = make_crc_table();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return crc ^ 0xFFFFFFFFu;
}

ZipArchive::ZipArchive(std::string bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
  read_directory(find_directory());
}

void ZipArchive::fail(const std::string& message) const { throw InputError(file_, 0, message); }

ZipArchive::Directory ZipArchive::find_directory() const {
  const std::string_view all = bytes_;
  if (all.size() < end_size) fail("is not a zip archive: too short");
  // The end record is the last thing in the file but for a comment of at most 65535 bytes.
  const std::size_t last = all.size() - end_size;
  const std::size_t first = last > 0xFFFF ? last - 0xFFFF : 0;
  std::size_t position = last + 1;
  bool found = false;
  while (!found && position > first) {
    --position;
    found = load_number<std::uint32_t>(all, position) == end_signature &&
            field<std::uint16_t>(all, position + 20) == all.size() - position - end_size;
  }
  if (!found) fail("is not a zip archive: it has no end of the directory (truncated?)");
  const std::string_view end = all.substr(position, end_size);
  Directory directory{field<std::uint32_t>(end, 16), field<std::uint32_t>(end, 12), field<std::uint16_t>(end, 10)};
  if (field<std::uint16_t>(end, 4) != 0 || field<std::uint16_t>(end, 6) != 0) fail("zip archives of several disks");
  const bool zip64 = directory.offset == see_zip64 || directory.size == see_zip64 || directory.count == 0xFFFF;
  if (zip64 && position >= locator64_size &&
      load_number<std::uint32_t>(all, position - locator64_size) == locator64_signature) {
    const auto end64 = field<std::uint64_t>(all, position - locator64_size + 8);
    if (!has_range(all, end64, 56) || load_number<std::uint32_t>(all, end64) != end64_signature)
      fail("the zip64 end of the directory is not where the archive says");
    directory = {field<std::uint64_t>(all, end64 + 48), field<std::uint64_t>(all, end64 + 40),
                 field<std::uint64_t>(all, end64 + 32)};
  }
  if (!has_range(all, directory.offset, directory.size) || directory.count > directory.size / central_size)
    fail("the zip directory does not lie inside the file");
  return directory;
}

void ZipArchive::read_directory(const Directory& directory) {
  std::string_view rest = std::string_view(bytes_).substr(directory.offset, directory.size);
  std::uint64_t unclaimed = bytes_.size();
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (rest.size() < central_size || field<std::uint32_t>(rest, 0) != central_signature)
      fail("zip directory: record " + std::to_string(i) + " is damaged");
    const std::size_t name_size = field<std::uint16_t>(rest, 28);
    const std::size_t extra_size = field<std::uint16_t>(rest, 30);
    const std::size_t record_size = central_size + name_size + extra_size + field<std::uint16_t>(rest, 32);
    if (rest.size() < record_size) fail("zip directory: record " + std::to_string(i) + " is truncated");
    Entry entry;
    entry.flags = field<std::uint16_t>(rest, 8);
    entry.method = field<std::uint16_t>(rest, 10);
    entry.crc = field<std::uint32_t>(rest, 16);
    entry.packed_size = field<std::uint32_t>(rest, 20);
    entry.size = field<std::uint32_t>(rest, 24);
    entry.header_offset = field<std::uint32_t>(rest, 42);
    apply_zip64(rest.substr(central_size + name_size, extra_size), entry);
    // Entries that share bytes would let a small file expand without end.
    if (entry.packed_size > unclaimed) fail("zip directory: the entries claim more bytes than the file has");
    unclaimed -= entry.packed_size;
    std::string name(rest.substr(central_size, name_size));
    if (!entries_.emplace(name, entry).second) fail("the entry " + quote_bytes(name) + " occurs twice");
    names_.push_back(std::move(name));
    rest.remove_prefix(record_size);
  }
  if (!rest.empty()) fail("zip directory: " + std::to_string(rest.size()) + " bytes beyond its last record");
}

void ZipArchive::apply_zip64(std::string_view extra, Entry& entry) const {
  while (extra.size() >= 4) {
    const auto id = field<std::uint16_t>(extra, 0);
    const std::size_t size = field<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) fail("zip directory: an extra field is truncated");
    std::string_view values = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != zip64_field) continue;
    for (std::uint64_t* wide : {&entry.size, &entry.packed_size, &entry.header_offset}) {
      if (*wide != see_zip64) continue;
      if (values.size() < 8) fail("zip directory: a zip64 field is truncated");
      *wide = field<std::uint64_t>(values, 0);
      values.remove_prefix(8);
    }
  }
}

std::string ZipArchive::entry_label(const std::string& name) const { return file_ + ": " + quote_bytes(name); }

void ZipArchive::check_crc(std::string_view content, const Entry& entry, const std::string& label) {
  if (crc32_of(content) != entry.crc) throw InputError(label, 0, "the checksum does not match: damaged");
}

std::string_view ZipArchive::packed_bytes(const Entry& entry, const std::string& label) const {
  if ((entry.flags & encrypted_flag) != 0) throw InputError(label, 0, "is encrypted");
  const std::string_view all = bytes_;
  if (!has_range(all, entry.header_offset, local_size)) fail("a zip entry lies outside the file");
  const std::string_view header = all.substr(entry.header_offset, local_size);
  if (field<std::uint32_t>(header, 0) != local_signature) fail("a zip entry has no local header");
  const std::uint64_t begin = entry.header_offset + local_size + std::uint64_t{field<std::uint16_t>(header, 26)} +
                              field<std::uint16_t>(header, 28);
  if (!has_range(all, begin, entry.packed_size)) fail("a zip entry lies outside the file");
  return all.substr(begin, entry.packed_size);
}

std::string_view ZipArchive::stored(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  const std::string label = entry_label(name);
  if (entry.method != stored_method) throw InputError(label, 0, "is compressed, expected it stored as it is");
  const std::string_view content = packed_bytes(entry, label);
  if (entry.packed_size != entry.size) throw InputError(label, 0, "is stored, but its two sizes differ");
  check_crc(content, entry, label);
  return content;
}

std::string ZipArchive::extract(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  if (entry.method == stored_method) return std::string(stored(name));
  const std::string label = entry_label(name);
  if (entry.method != deflated_method)
    throw InputError(label, 0, "has compression method " + std::to_string(entry.method) + ", expected 0 or 8");
  std::string content = inflate_bytes(packed_bytes(entry, label), entry.size, label);
  check_crc(content, entry, label);
  return content;
}

void ZipWriter::add(const std::string& name, std::string_view content) {
  constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max();
  if (count_ >= 0xFFFE || name.size() > 0xFFFF ||
      std::uint64_t{bytes_.size()} + directory_.size() + content.size() + 2 * name.size() + 256 >= limit)
    throw InputError("entry '" + name + "': the archive is too large to be written");
  const auto size = static_cast<std::uint32_t>(content.size());
  const auto offset = static_cast<std::uint32_t>(bytes_.size());
  std::string common;  // the fields that the local header and the directory share
  for (const std::uint16_t value : {20, 0, int{stored_method}, 0, int{fixed_date}}) append_number(common, value);
  for (const std::uint32_t value : {crc32_of(content), size, size}) append_number(common, value);
  append_number(common, static_cast<std::uint16_t>(name.size()));
  append_number(common, std::uint16_t{0});

  append_number(bytes_, local_signature);
  bytes_.append(common).append(name).append(content);
  append_number(directory_, central_signature);
  append_number(directory_, std::uint16_t{20});
  directory_.append(common).append(10, '\0');  // comment, disk, attributes
  append_number(directory_, offset);
  directory_.append(name);
  ++count_;
}

std::string ZipWriter::finish() {
  const auto offset = static_cast<std::uint32_t>(bytes_.size());
  bytes_.append(directory_);
  append_number(bytes_, end_signature);
  for (const std::uint32_t value : {0u, 0u, count_, count_}) append_number(bytes_, static_cast<std::uint16_t>(value));
  append_number(bytes_, static_cast<std::uint32_t>(directory_.size()));
  append_number(bytes_, offset);
  append_number(bytes_, std::uint16_t{0});
  return std::move(bytes_);
}

}  // namespace neuopt
