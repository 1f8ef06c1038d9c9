#include "io/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace neuopt {
namespace {

using Rgb = std::array<double, 3>;

/// Oklab in polar form (lightness, chroma, hue) to linear sRGB; entries outside [0, 1] have no such colour.
Rgb linear_rgb(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

int gamma_byte(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  const double encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(255 * encoded));
}

}  // namespace

std::string distinct_colour(int index, bool dark_paper) {
  constexpr double golden_angle = 2.399963229728653;
  constexpr double first_hue = 255 * std::numbers::pi / 180;  // blue
  constexpr std::array<double, 3> light{0.55, 0.66, 0.47}, dark{0.76, 0.67, 0.84};
  const double lightness = (dark_paper ? dark : light)[static_cast<std::size_t>(index % 3)];
  const double hue = first_hue + golden_angle * index;
  // As much colour as the screen can show at this lightness and hue, up to a calm maximum.
  double chroma = 0.17;
  Rgb rgb = linear_rgb(lightness, chroma, hue);
  const auto shown = [](double value) { return value >= 0 && value <= 1; };
  while (chroma > 0.02 && !std::all_of(rgb.begin(), rgb.end(), shown)) {
    chroma -= 0.01;
    rgb = linear_rgb(lightness, chroma, hue);
  }
  return fmt::format("#{:02x}{:02x}{:02x}", gamma_byte(rgb[0]), gamma_byte(rgb[1]), gamma_byte(rgb[2]));
}

}  // namespace neuopt
