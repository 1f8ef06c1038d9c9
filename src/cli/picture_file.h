// Pictures to disk: SVG as it is, PNG through a converter when one is installed.
#pragma once

#include <string>
#include <string_view>

namespace neuopt::cli {

/// Throws InputError or ResourceError when write_picture would surely refuse the path. Creates nothing.
void check_picture_path(const std::string& path);

/// Writes an SVG picture to a path that ends in .svg or .png, or as it is to standard output. Throws InputError for any
/// other ending, ResourceError when the file cannot be written or the converter (rsvg-convert) is not installed.
void write_picture(const std::string& path, std::string_view svg);

}  // namespace neuopt::cli
