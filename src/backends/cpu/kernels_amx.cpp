#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/cpu/half_rows.h"
#include "backends/cpu/matmul_half.h"
#include "backends/cpu/matmul_kernel.h"
#include "backends/cpu/simd_avx512.h"

namespace neuopt::backends::cpu {
namespace {

constexpr int kTileSize = 16;   // rows and columns of a tile of sums
constexpr int kTileInner = 32;  // bf16 numbers in a row of A's tiles

/// The shapes of the eight tile registers as the instruction reads them: all 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Constant data and no local variable: to the compiler the instruction reads only the first bytes of it.
constexpr TileShapes kShapes{};

/// Sums of 32 rows and one panel: tiles 0, 1 (upper rows), 2, 3 (lower rows), left and right half of the panel.
void multiply_block(const std::uint16_t* a, const std::uint16_t* b, int inner, bool lower, float* sums) {
  const long a_bytes = 2L * inner, b_bytes = 4L * kPanel, c_bytes = 4L * kPanel;
  _tile_zero(0);
  _tile_zero(1);
  if (lower) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int k = 0; k < inner; k += kTileInner, a += kTileInner, b += kTileInner * kPanel) {
    _tile_loadd(6, b, b_bytes);
    _tile_loadd(7, b + 2 * kTileSize, b_bytes);
    _tile_loadd(4, a, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (lower) {
      _tile_loadd(5, a + static_cast<long>(kTileSize) * inner, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, c_bytes);
  _tile_stored(1, sums + kTileSize, c_bytes);
  if (lower) {
    _tile_stored(2, sums + kTileSize * kPanel, c_bytes);
    _tile_stored(3, sums + kTileSize * kPanel + kTileSize, c_bytes);
  }
}

/// Bias, residual and ReLU on the way from the sums to C.
void finish_block(const float* sums, int rows, const TileColumn& tile) {
  for (int row = 0; row < rows; ++row, sums += kPanel) {
    __m512 line[1][2] = {{_mm512_loadu_ps(sums), _mm512_loadu_ps(sums + 16)}};
    finish_tile<Avx512, 1, 2>(tile, row, line);
  }
}

}  // namespace

void matmul_amx_bf16(const Matmul& m) {
  const int padded_rows = (m.rows + kTileSize - 1) / kTileSize * kTileSize;
  round_rows(m, padded_rows);
  const auto* a = static_cast<const std::uint16_t*>(m.a_half);
  const auto* b = static_cast<const std::uint16_t*>(m.b_half);
  _tile_loadconfig(&kShapes);
  // A block is finished while the tiles work on the next one: its sums are in memory by then.
  alignas(64) float sums[2][2 * kTileSize * kPanel];
  TileColumn tile{};
  tile.c_stride = m.c_stride;
  tile.accumulate = m.accumulate;
  tile.relu = m.relu;
  int turn = 0, waiting_rows = 0;
  for (int panel = 0; panel < m.columns / kPanel; ++panel)
    for (int row = 0; row < padded_rows; row += 2 * kTileSize, turn ^= 1) {
      multiply_block(a + static_cast<long>(row) * m.inner, b + static_cast<long>(panel) * m.inner * kPanel, m.inner,
                     row + kTileSize < padded_rows, sums[turn]);
      finish_block(sums[turn ^ 1], waiting_rows, tile);
      tile.bias = m.bias == nullptr ? nullptr : m.bias + panel * kPanel;
      tile.c = m.c + c_panel(m, panel) + static_cast<long>(row) * m.c_stride;
      waiting_rows = m.rows - row < 2 * kTileSize ? m.rows - row : 2 * kTileSize;
    }
  finish_block(sums[turn ^ 1], waiting_rows, tile);
  _tile_release();
}

double peak_amx_bf16(long rounds) {
  _tile_loadconfig(&kShapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(6);
  const long tiles = rounds / 16;  // a tile is as much work as many vectors
  for (long i = 0; i < tiles; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 6);
    _tile_dpbf16ps(2, 4, 6);
    _tile_dpbf16ps(3, 4, 6);
  }
  _tile_release();
  return 4.0 * 2 * kTileSize * kTileSize * kTileInner * static_cast<double>(tiles);
}

bool request_amx() {
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24;  // of leaf 7, EDX
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kBf16) == 0 || (d & kTile) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace neuopt::backends::cpu
#endif
