// Charts as SVG: lines, dots, crosses, bars and bands over two axes, readable on light and dark paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt::report {

/// Colours by meaning rather than by number; the rest are told apart by `series` colours.
enum class Ink { plain, good, bad, muted, series };

struct Series {
  enum class Mark {
    line,    // straight from point to point
    stairs,  // keeps its value until the next point: a best so far
    dashes,  // the same, dashed
    dots,
    crosses,
    bars,  // one for each point, around its x
    band,  // the area between y of the points and `upper`, faint: a spread around a line
    area,  // the same, filled: a share of a whole
  };

  Mark mark = Mark::line;
  std::string name;  // in the legend; "": not there
  Ink ink = Ink::series;
  int colour = 0;             // for Ink::series
  std::vector<Point> points;  // those that are not finite are left out
  std::vector<double> upper;  // of a band, one for each point
};

struct Axis {
  std::string label;  // with the unit
  bool logarithmic = false;
  bool whole = false;               // ticks at whole numbers only
  std::optional<double> low, high;  // instead of what the data span; what lies outside is cut off
};

/// One pair of axes.
struct Panel {
  std::string title;  // "": none
  Axis x, y;
  std::vector<Series> series;  // drawn in this order
  double height = 340;         // of the whole panel, in pixels
};

/// A picture of one or more panels below each other.
struct Chart {
  std::string title;
  std::string facts;  // a line below the title
  std::vector<Panel> panels;
};

std::string draw_chart(const Chart& chart);

}  // namespace neuopt::report
