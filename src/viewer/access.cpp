#include "viewer/access.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "core/error.h"
#include "core/text.h"

namespace neuopt::viewer {

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw ResourceError("the operating system gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

std::optional<std::string> path_behind_token(std::string_view path, std::string_view token) {
  if (token.empty() || path.size() < token.size() + 2 || path[0] != '/') return std::nullopt;
  const bool right = equal_in_constant_time(path.substr(1, token.size()), token);
  if (!right || path[token.size() + 1] != '/') return std::nullopt;
  return std::string(path.substr(token.size() + 2));
}

bool host_is_ours(std::string_view host, int port) {
  constexpr int kDefaultPort = 80;  // which clients leave out
  if (port == kDefaultPort && (host == "127.0.0.1" || host == "localhost")) return true;
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

bool origin_is_ours(std::string_view origin, int port) {
  if (origin.empty()) return true;
  return origin.starts_with("http://") && host_is_ours(origin.substr(7), port);
}

std::optional<std::size_t> body_length(std::string_view content_length, std::string_view transfer_encoding) {
  if (!transfer_encoding.empty()) return std::nullopt;
  if (content_length.empty()) return 0;
  const auto length = parse_integer(content_length);
  return length && *length >= 0 ? std::optional(static_cast<std::size_t>(*length)) : std::nullopt;
}

}  // namespace neuopt::viewer
