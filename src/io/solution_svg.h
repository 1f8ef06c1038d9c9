// Pictures of instances and solutions.
#pragma once

#include <string>

#include "problem/instance.h"

namespace neuopt {

/// An SVG picture of an instance, with the routes of a solution when one is given (null: the nodes alone). Keeps the
/// aspect ratio, follows the viewer's light or dark setting, and carries the name, the cost, the depot and a scale.
/// A matrix without coordinates is drawn through multidimensional scaling, without a scale. A solution that is not
/// feasible can be looked at: the picture says what is wrong, routes over capacity lie on a red band, customers on no
/// route are ringed in red, those that are served late with dashes, as is the way of a vehicle that is back late; node
/// indices that are not in the instance are left out.
std::string draw_picture(const Instance& instance, const Solution* solution = nullptr);

}  // namespace neuopt
