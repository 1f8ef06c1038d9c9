// The way of an instance's nodes into the unit square, for host and device alike.
#pragma once

#include "core/host_device.h"
#include "problem/instance.h"

namespace neuopt {

/// A shift and a scale that serve both axes, so that the aspect ratio is kept: unit = (point - shift) / scale.
struct UnitSquare {
  Point shift;
  double scale = 1;

  NEUOPT_HD Point map(const Point& point) const { return {(point.x - shift.x) / scale, (point.y - shift.y) / scale}; }
};

/// Maps the longer side of a box to 1 and centres its shorter side. A box without extent keeps its scale.
NEUOPT_HD UnitSquare fit_unit_square(const Point& low, const Point& high) {
  const double width = high.x - low.x, height = high.y - low.y;
  const double longer = width > height ? width : height;
  const double side = longer > 0 ? longer : 1;
  return {{low.x - (side - width) / 2, low.y - (side - height) / 2}, side};
}

}  // namespace neuopt
