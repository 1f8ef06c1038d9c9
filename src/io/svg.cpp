#include "io/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/text.h"

namespace neuopt {
namespace {

/// At most two decimals, no trailing zeros; a number that is not finite becomes 0, which every viewer accepts.
std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

/// Bytes of the XML character at the start of the text; 0 when there is none. The last two characters of the first
/// plane are UTF-8 but no XML.
std::size_t xml_length(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF") ? 0 : utf8_length(text);
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = xml_length(text);
    const char first = text[0];
    const bool control = length == 1 && (static_cast<unsigned char>(first) < 0x20 || first == 0x7F) && first != '\t';
    if (length == 0 || control)
      escaped += '?';
    else if (first == '&')
      escaped += "&amp;";
    else if (first == '<')
      escaped += "&lt;";
    else if (first == '>')
      escaped += "&gt;";
    else if (first == '"')
      escaped += "&quot;";
    else
      escaped += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title, std::string_view css)
    : body_(
          fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                      "role=\"img\">\n<title>{2}</title>\n<style>\n{3}</style>\n",
                      number(width), number(height), escape_xml(title), css)) {}

void SvgCanvas::begin_group(std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_), "<g {}>\n", attributes);
}

void SvgCanvas::end_group() { body_ += "</g>\n"; }

void SvgCanvas::begin_clip(std::string_view id, double x, double y, double width, double height) {
  fmt::format_to(std::back_inserter(body_), "<clipPath id=\"{}\">", id);
  rectangle(x, y, width, height, "");
  body_ += "</clipPath>\n";
  begin_group(fmt::format("clip-path=\"url(#{})\"", id));
}

void SvgCanvas::rectangle(double x, double y, double width, double height, std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_), "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", number(x),
                 number(y), number(width), number(height), attributes);
}

void SvgCanvas::circle(Point centre, double radius, std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_), "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", number(centre.x),
                 number(centre.y), number(radius), attributes);
}

void SvgCanvas::polyline(const std::vector<Point>& points, bool closed, std::string_view attributes) {
  if (points.empty()) return;
  body_ += "<path d=\"";
  char command = 'M';
  for (const Point& point : points) {
    fmt::format_to(std::back_inserter(body_), "{}{} {}", command, number(point.x), number(point.y));
    command = 'L';
  }
  fmt::format_to(std::back_inserter(body_), "{}\" {}/>\n", closed ? "Z" : "", attributes);
}

void SvgCanvas::dots(const std::vector<Point>& centres, std::string_view attributes) {
  if (centres.empty()) return;
  body_ += "<path d=\"";
  for (const Point& centre : centres)
    fmt::format_to(std::back_inserter(body_), "M{} {}h0", number(centre.x), number(centre.y));
  fmt::format_to(std::back_inserter(body_), "\" stroke-linecap=\"round\" {}/>\n", attributes);
}

void SvgCanvas::crosses(const std::vector<Point>& centres, double half_width, std::string_view attributes) {
  if (centres.empty()) return;
  body_ += "<path d=\"";
  const std::string side = number(2 * half_width);
  for (const Point& centre : centres)
    fmt::format_to(std::back_inserter(body_), "M{0} {1}l{2} {2}m0-{2}l-{2} {2}", number(centre.x - half_width),
                   number(centre.y - half_width), side);
  fmt::format_to(std::back_inserter(body_), "\" {}/>\n", attributes);
}

void SvgCanvas::text(Point at, std::string_view content, std::string_view attributes) {
  fmt::format_to(std::back_inserter(body_), "<text x=\"{}\" y=\"{}\" {}>{}</text>\n", number(at.x), number(at.y),
                 attributes, escape_xml(content));
}

std::string SvgCanvas::finish() const { return body_ + "</svg>\n"; }

}  // namespace neuopt
