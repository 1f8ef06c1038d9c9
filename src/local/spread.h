// Sharing out work that only some of the lanes have found.
#pragma once

#include "core/lanes.h"

namespace neuopt::local {

/// Each lane has an item, of which two groups of variants may be worth a look.
///
/// Calls each(item, variant) for the items of all lanes: the variants below kFirst where `first` holds, the kSecond
/// that follow where `second` holds, in any order. All lanes call this together. Here each lane works on its own item;
/// lanes that share the work have overloads of their own, found by the item's type.
template <int kFirst, int kSecond, class Lanes, class Item, class Each>
NEUOPT_HD void spread(const Lanes&, bool first, bool second, const Item& item, Each&& each) {
  const int end = second ? kFirst + kSecond : kFirst;
  for (int variant = first ? 0 : kFirst; variant < end; ++variant) each(item, variant);
}

}  // namespace neuopt::local
