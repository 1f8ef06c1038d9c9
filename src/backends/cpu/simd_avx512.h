// AVX-512 as the kernels see it. Included by the files that are compiled for it, and by nothing else.
#pragma once

#include <immintrin.h>

namespace neuopt::backends::cpu {
namespace {  // nothing compiled with special instructions may be linked into other files

struct Avx512 {
  using Vec = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kTileSums = 24;  // vectors of a product's result held in registers, out of 32
  static constexpr int kWideVecs = 4;   // width of a tile where there are columns enough

  static Vec zero() { return _mm512_setzero_ps(); }
  static Vec set(float value) { return _mm512_set1_ps(value); }
  static Vec load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vec v) { _mm512_storeu_ps(to, v); }
  static Vec load_first(const float* from, int count) { return _mm512_maskz_loadu_ps(first(count), from); }
  static void store_first(float* to, Vec v, int count) { _mm512_mask_storeu_ps(to, first(count), v); }
  /// The first `count` lanes of v, `other` in the rest.
  static Vec keep_first(Vec v, int count, Vec other) { return _mm512_mask_mov_ps(other, first(count), v); }

  static Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
  static Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
  static Vec negative_fma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }
  static Vec round(Vec v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  /// v * 2^exponent, for whole exponents; 0 far below the range.
  static Vec scale(Vec v, Vec exponent) { return _mm512_scalef_ps(v, exponent); }
  static Vec reciprocal_estimate(Vec v) { return _mm512_rcp14_ps(v); }
  static float sum(Vec v) { return _mm512_reduce_add_ps(v); }
  static float largest(Vec v) { return _mm512_reduce_max_ps(v); }

  /// Turns kWidth rows of kWidth numbers into columns.
  static void transpose(const float* from, int from_stride, float* to, int to_stride) {
    Vec a[16], b[16];
    for (int i = 0; i < 16; ++i) a[i] = load(from + i * from_stride);
    for (int i = 0; i < 16; i += 2) {
      b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
      b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
      for (int j = 0; j < 2; ++j) {
        const __m512d low = _mm512_castps_pd(b[i + j]), high = _mm512_castps_pd(b[i + j + 2]);
        a[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
        a[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
      }
    for (int i = 0; i < 4; ++i) {  // a[4 * block + i]: columns i, 4 + i, 8 + i, 12 + i of four rows
      const Vec even01 = _mm512_shuffle_f32x4(a[i], a[4 + i], 0x88), odd01 = _mm512_shuffle_f32x4(a[i], a[4 + i], 0xdd);
      const Vec even23 = _mm512_shuffle_f32x4(a[8 + i], a[12 + i], 0x88),
                odd23 = _mm512_shuffle_f32x4(a[8 + i], a[12 + i], 0xdd);
      store(to + i * to_stride, _mm512_shuffle_f32x4(even01, even23, 0x88));
      store(to + (4 + i) * to_stride, _mm512_shuffle_f32x4(odd01, odd23, 0x88));
      store(to + (8 + i) * to_stride, _mm512_shuffle_f32x4(even01, even23, 0xdd));
      store(to + (12 + i) * to_stride, _mm512_shuffle_f32x4(odd01, odd23, 0xdd));
    }
  }

 private:
  static __mmask16 first(int count) { return static_cast<__mmask16>((1u << count) - 1u); }
};

}  // namespace
}  // namespace neuopt::backends::cpu
