// Colours that stay apart: one for each of any number of routes, on light and on dark paper.
#pragma once

#include <string>

namespace neuopt {

/// Colour `index` as "#rrggbb". Hues advance by the golden angle, so that neighbours in index differ most, and the
/// lightness alternates between three levels; in a perceptual space (Oklab), so that none shouts.
std::string distinct_colour(int index, bool dark_paper);

}  // namespace neuopt
