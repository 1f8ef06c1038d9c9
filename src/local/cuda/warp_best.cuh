// What the lanes of a warp do together in a local search. For CUDA sources only.
#pragma once

#include <cstdint>
#include <cstring>

#include "device/warp.cuh"
#include "local/best_move.h"
#include "local/spread.h"

namespace neuopt::local {

/// The best of all lanes' moves by three votes: on either half of the delta, whose bits are turned so that they are in
/// order as whole numbers, and on the number, of which "none" is the largest.
__device__ __forceinline__ Move best_by_votes(const Move& mine) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint32_t kWorst = ~0u;
  std::uint64_t bits;
  memcpy(&bits, &mine.delta, sizeof bits);
  bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
  const auto high = static_cast<std::uint32_t>(bits >> 32), low = static_cast<std::uint32_t>(bits);
  const std::uint32_t best_high = __reduce_min_sync(kAllLanes, high);
  const std::uint32_t best_low = __reduce_min_sync(kAllLanes, high == best_high ? low : kWorst);
  const bool is_best = high == best_high && low == best_low;
  const std::uint32_t number = __reduce_min_sync(kAllLanes, is_best ? static_cast<std::uint32_t>(mine.number) : kWorst);
  bits = std::uint64_t{best_high} << 32 | best_low;
  bits = (bits & kSign) != 0 ? bits & ~kSign : ~bits;
  Move best;
  memcpy(&best.delta, &bits, sizeof bits);
  best.number = static_cast<int>(number);
  return best;
}

/// The place of the bit that has so many set bits below it.
__device__ __forceinline__ int place_of_bit(unsigned bits, int below) {
  int place = 0;
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    const int in_half = __popc(bits >> place & ((1u << half) - 1u));
    if (in_half <= below) {
      below -= in_half;
      place += half;
    }
  }
  return place;
}

/// Another lane's item.
template <class Item>
__device__ __forceinline__ Item item_of_lane(const Item& mine, int lane) {
  static_assert(sizeof(Item) % sizeof(unsigned) == 0);
  unsigned words[sizeof(Item) / sizeof(unsigned)];
  memcpy(words, &mine, sizeof mine);
#pragma unroll
  for (unsigned& word : words) word = __shfl_sync(kAllLanes, word, lane);
  Item other;
  memcpy(&other, words, sizeof other);
  return other;
}

/// All variants of all items side by side in the lanes.
template <int kFirst, int kSecond, class Item, class Each>
__device__ __forceinline__ void spread_by_ballots(bool first, bool second, const Item& mine, Each&& each) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned owners = __ballot_sync(kAllLanes, first), other_owners = __ballot_sync(kAllLanes, second);
  const int count = __popc(owners) * kFirst, end = count + __popc(other_owners) * kSecond;
  const int owner = place_of_bit(owners, lane), other_owner = place_of_bit(other_owners, lane);  // of rank `lane`
#pragma unroll 1
  for (int base = 0; base < end; base += 32) {
    const int at = base + lane;
    const bool in_first = at < count;
    const int rank = in_first ? at / kFirst : (at - count) / kSecond;
    const int of_first = __shfl_sync(kAllLanes, owner, rank), of_second = __shfl_sync(kAllLanes, other_owner, rank);
    const Item item = item_of_lane(mine, in_first ? of_first : of_second);
    if (at < end) each(item, in_first ? at - rank * kFirst : at - count - rank * kSecond + kFirst);
  }
}

#if defined(__CUDACC__)
__device__ inline Move best_of(WarpLanes, const Move& mine) { return best_by_votes(mine); }

template <int kFirst, int kSecond, class Item, class Each>
__device__ __forceinline__ void spread(const WarpLanes&, bool first, bool second, const Item& item, Each&& each) {
  spread_by_ballots<kFirst, kSecond>(first, second, item, each);
}
#endif

}  // namespace neuopt::local
