#include "emulation/device_emulation.h"

#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/async_copy.cuh"
#include "device/tensor_core.cuh"

namespace neuopt::emulation {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr unsigned kLanes = 32;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<unsigned char[]> stack;
  Place place;
  bool finished = false;
  std::vector<std::pair<uint4*, const uint4*>> copies;  // begun and not there yet
};

/// A barrier of a fixed number of threads. Threads wait for the generation to change.
struct Barrier {
  unsigned arrived = 0, generation = 0;
};

struct Warp {
  Barrier barrier;
  std::vector<unsigned char> slots[2];  // used in turn, so that one exchange needs one barrier
  unsigned turn = 0, readers = 0;
};

class Block {
 public:
  Block(dim3 grid, uint3 index, unsigned threads, std::size_t shared_bytes, const std::function<void()>& kernel,
        unsigned schedule)
      : kernel_(kernel),
        fibers_(threads),
        warps_(threads / kLanes),
        shared_(shared_bytes + 128),
        in_turn_(schedule == 0),
        random_(schedule) {
    for (Warp& warp : warps_)
      for (auto& slot : warp.slots) slot.resize(kLanes * kExchangeBytes);
    for (unsigned i = 0; i < threads; ++i) {
      fibers_[i].place = {uint3{i, 0, 0}, index, dim3(threads), grid};
      prepare(fibers_[i]);
    }
  }

  void run() {
    active = this;
    std::vector<unsigned> order(fibers_.size());
    std::iota(order.begin(), order.end(), 0u);
    bool everyone = true;  // gets a turn; when only some do, the others fall behind
    for (bool any = true; any;) {
      any = false;
      progressed_ = false;
      if (!in_turn_) std::shuffle(order.begin(), order.end(), random_);
      for (const unsigned i : order) {
        if (fibers_[i].finished) continue;
        any = true;
        if (!everyone && random_() % 3 != 0) continue;
        running_ = i;
        swapcontext(&scheduler_, &fibers_[i].context);
      }
      if (any && everyone && !progressed_) throw std::logic_error("emulated threads wait for each other for ever");
      everyone = in_turn_ || !progressed_;
    }
    active = nullptr;
  }

  const Place& place() const { return fibers_[running_].place; }
  void* shared_memory() {
    const auto at = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (128 - at % 128);
  }

  void wait(Barrier& barrier, unsigned members) {
    progressed_ = true;
    const unsigned generation = barrier.generation;
    if (++barrier.arrived == members) {
      barrier.arrived = 0;
      ++barrier.generation;
      return;
    }
    while (barrier.generation == generation) swapcontext(&fibers_[running_].context, &scheduler_);
    progressed_ = true;
  }

  void sync_block() { wait(barrier_, static_cast<unsigned>(fibers_.size())); }
  void sync_warp() { wait(warps_[running_ / kLanes].barrier, kLanes); }

  const unsigned char* exchange(const void* mine, std::size_t bytes) {
    if (bytes > kExchangeBytes) throw std::logic_error("too much to exchange");
    Warp& warp = warps_[running_ / kLanes];
    unsigned char* slots = warp.slots[warp.turn].data();
    std::memcpy(slots + running_ % kLanes * kExchangeBytes, mine, bytes);
    const unsigned last = ++warp.readers;
    if (last == kLanes) {
      warp.readers = 0;
      warp.turn ^= 1;  // the next exchange must not overwrite what others have yet to read
    }
    wait(warp.barrier, kLanes);
    return slots;
  }

  /// A copy comes at once or when it is waited for; which of them is up to the schedule.
  void begin_copy(uint4* to, const uint4* from) {
    if (in_turn_ || random_() % 2 == 0)
      std::memcpy(to, from, sizeof *to);
    else
      fibers_[running_].copies.emplace_back(to, from);
  }
  void await_copies() {
    for (const auto& [to, from] : fibers_[running_].copies) std::memcpy(to, from, sizeof *to);
    fibers_[running_].copies.clear();
  }

  static Block* active;

 private:
  void prepare(Fiber& fiber) {
    fiber.stack = std::make_unique<unsigned char[]>(kStackBytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Block::enter), 0);
  }

  static void enter() {
    Block& block = *active;
    block.kernel_();
    block.fibers_[block.running_].finished = true;
    block.progressed_ = true;
  }

  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  Barrier barrier_;
  std::vector<unsigned char> shared_;
  bool in_turn_;
  std::minstd_rand random_;
  ucontext_t scheduler_;
  unsigned running_ = 0;
  bool progressed_ = false;
};

Block* Block::active = nullptr;

float widen(std::uint32_t pair, unsigned which) {
  const float2 both = unpack(pair);
  return which == 0 ? both.x : both.y;
}

/// What a lane brings to a product.
struct Operands {
  TileA a;
  std::uint32_t b[2];
};

std::uint16_t number_at(const void* row, unsigned column) {
  std::uint16_t number;
  std::memcpy(&number, static_cast<const unsigned char*>(row) + 2 * column, sizeof number);
  return number;
}

}  // namespace

void run(dim3 grid, unsigned threads, std::size_t shared_bytes, const std::function<void()>& kernel,
         unsigned schedule) {
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) Block(grid, uint3{x, y, z}, threads, shared_bytes, kernel, schedule).run();
}

const Place& place() { return Block::active->place(); }
void* shared_memory() { return Block::active->shared_memory(); }
void sync_block() { Block::active->sync_block(); }
void sync_warp() { Block::active->sync_warp(); }
const unsigned char* exchange(const void* mine, std::size_t bytes) { return Block::active->exchange(mine, bytes); }

}  // namespace neuopt::emulation

namespace neuopt {

using namespace emulation;

void multiply_add(TileC& c, const TileA& a, std::uint32_t b0, std::uint32_t b1) {
  const unsigned lane = place().thread.x % 32, g = lane / 4, t = lane % 4;
  const Operands mine{a, {b0, b1}};
  const unsigned char* all = exchange(&mine, sizeof mine);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lower = i / 2, column = 2 * t + i % 2;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned quad = k % 8 / 2, upper_half = k / 8;
      const auto row = value_of_lane<Operands>(all, g * 4 + quad);
      const auto col = value_of_lane<Operands>(all, column * 4 + quad);
      c.value[i] += widen(row.a.part[lower + 2 * upper_half], k % 2) * widen(col.b[upper_half], k % 2);
    }
  }
}

void load_blocks(const void* row, std::uint32_t (&block)[4]) {
  const unsigned lane = place().thread.x % 32, g = lane / 4, t = lane % 4;
  const unsigned char* all = exchange(&row, sizeof row);
  for (unsigned i = 0; i < 4; ++i) {
    const auto* address = value_of_lane<const void*>(all, i * 8 + g);
    block[i] = number_at(address, 2 * t) | static_cast<std::uint32_t>(number_at(address, 2 * t + 1)) << 16;
  }
}

void load_transposed(const void* row, std::uint32_t (&block)[4]) {
  const unsigned lane = place().thread.x % 32, g = lane / 4, t = lane % 4;
  const unsigned char* all = exchange(&row, sizeof row);
  for (unsigned i = 0; i < 4; ++i)
    block[i] = number_at(value_of_lane<const void*>(all, i * 8 + 2 * t), g) |
               static_cast<std::uint32_t>(number_at(value_of_lane<const void*>(all, i * 8 + 2 * t + 1), g)) << 16;
}

std::uint32_t transpose_block(std::uint32_t block) {
  const unsigned lane = place().thread.x % 32, g = lane / 4, t = lane % 4;
  const unsigned char* all = exchange(&block, sizeof block);
  const auto element = [&](unsigned r, unsigned c) {
    return value_of_lane<std::uint32_t>(all, r * 4 + c / 2) >> (16 * (c % 2)) & 0xffffu;
  };
  return element(2 * t, g) | element(2 * t + 1, g) << 16;
}

void begin_copy(uint4* shared, const uint4* global) { Block::active->begin_copy(shared, global); }
void await_copies() { Block::active->await_copies(); }

std::uint32_t pack_positive(float low, float high) { return pack(std::fmax(low, 0.0f), std::fmax(high, 0.0f)); }

void add_to(float4* sum, float4 value) {
  sum->x += value.x;
  sum->y += value.y;
  sum->z += value.z;
  sum->w += value.w;
}

}  // namespace neuopt
