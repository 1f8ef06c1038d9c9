#include "io/inflate.h"

#include "core/error.h"

#if defined(NEUOPT_HAVE_ZLIB)
#include <zlib.h>

#include <algorithm>
#include <limits>
#endif

namespace neuopt {

#if defined(NEUOPT_HAVE_ZLIB)
namespace {

// Deflate expresses at most 1032 bytes by one (a match of 258 bytes in two bits).
constexpr std::uint64_t best_ratio = 1032;
constexpr std::uint64_t max_size = std::uint64_t{1} << 32;

struct Stream {
  z_stream state{};
  explicit Stream(const std::string& label) {
    if (inflateInit2(&state, -MAX_WBITS) != Z_OK) throw ResourceError(label + ": zlib cannot start");
  }
  ~Stream() { inflateEnd(&state); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

uInt next_piece(std::size_t rest) {
  return static_cast<uInt>(std::min<std::size_t>(rest, std::numeric_limits<uInt>::max()));
}

}  // namespace

std::string inflate_bytes(std::string_view packed, std::uint64_t size, const std::string& label) {
  if (size / best_ratio > packed.size()) throw InputError(label, 0, "claims a size that deflate cannot reach");
  if (size > max_size) throw InputError(label, 0, "is larger than 4 GiB");
  std::string content(size, '\0');
  Stream stream(label);
  z_stream& state = stream.state;
  std::size_t taken = 0;
  std::size_t given = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    // zlib only reads its input, whatever the type of next_in says.
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())) + taken;
    state.avail_in = next_piece(packed.size() - taken);
    state.next_out = reinterpret_cast<Bytef*>(content.data()) + given;
    state.avail_out = next_piece(content.size() - given);
    const uInt offered_in = state.avail_in;
    const uInt offered_out = state.avail_out;
    status = inflate(&state, Z_NO_FLUSH);
    taken += offered_in - state.avail_in;
    given += offered_out - state.avail_out;
  }
  if (status != Z_STREAM_END || given != content.size() || taken != packed.size())
    throw InputError(label, 0, "the compressed bytes are damaged");
  return content;
}

#else

std::string inflate_bytes(std::string_view, std::uint64_t, const std::string& label) {
  throw InputError(label, 0, "is compressed, and this program was built without zlib: save it uncompressed");
}

#endif

}  // namespace neuopt
