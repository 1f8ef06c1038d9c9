// Who may talk to the viewer: pages that know its token, on this machine, and nobody on their behalf.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace neuopt::viewer {

/// 128 random bits from the operating system as 32 hexadecimal digits.
std::string make_token();

/// Compares in a time that tells nothing about where two texts of the same length differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// What lies behind "/TOKEN/" in the path of a request ("" for the page itself), or nothing when the token is wrong.
std::optional<std::string> path_behind_token(std::string_view path, std::string_view token);

/// True for the Host headers under which this machine is meant: 127.0.0.1 or localhost with our port, which may be
/// missing when it is 80. A page that made another name point to this machine (DNS rebinding) is found out by it.
bool host_is_ours(std::string_view host, int port);

/// True for the Origin header of our own page, and for none at all (a program that is no browser).
bool origin_is_ours(std::string_view origin, int port);

/// The length of the body that the headers of a request announce, 0 for none; nothing when they do not tell. Looked at
/// before the body is read: the library would read a long one to its end only to drop it.
std::optional<std::size_t> body_length(std::string_view content_length, std::string_view transfer_encoding);

}  // namespace neuopt::viewer
