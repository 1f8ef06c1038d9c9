// A small writer of SVG pictures: elements in the order they are drawn, numbers and text made safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

class SvgCanvas {
 public:
  /// `title` is the picture's accessible name; `css` goes into its style element as it is.
  SvgCanvas(double width, double height, std::string_view title, std::string_view css);

  // `attributes` is written as given, e.g. R"(class="dot")": it must come from us, never from a file.
  void begin_group(std::string_view attributes);
  void end_group();
  /// Begins a group of which only what lies in the rectangle is seen. `id` must be ours and new in the document.
  void begin_clip(std::string_view id, double x, double y, double width, double height);
  void rectangle(double x, double y, double width, double height, std::string_view attributes);
  void circle(Point centre, double radius, std::string_view attributes);
  void polyline(const std::vector<Point>& points, bool closed, std::string_view attributes);
  /// Any number of small marks as one element: round dots of the stroke's width, or crosses of that half width.
  void dots(const std::vector<Point>& centres, std::string_view attributes);
  void crosses(const std::vector<Point>& centres, double half_width, std::string_view attributes);
  void text(Point at, std::string_view content, std::string_view attributes);

  /// The whole document.
  std::string finish() const;

 private:
  std::string body_;
};

/// Text for an XML document: markup escaped, bytes that are no UTF-8 and control characters replaced by '?'.
std::string escape_xml(std::string_view text);

}  // namespace neuopt
