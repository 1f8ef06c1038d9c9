// AVX2 with FMA as the kernels see it. Included by the file that is compiled for it, and by nothing else.
#pragma once

#include <immintrin.h>

namespace neuopt::backends::cpu {
namespace {  // nothing compiled with special instructions may be linked into other files

struct Avx2 {
  using Vec = __m256;
  static constexpr int kWidth = 8;
  static constexpr int kTileSums = 12;  // vectors of a product's result held in registers, out of 16
  static constexpr int kWideVecs = 2;   // width of a tile where there are columns enough

  static Vec zero() { return _mm256_setzero_ps(); }
  static Vec set(float value) { return _mm256_set1_ps(value); }
  static Vec load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Vec v) { _mm256_storeu_ps(to, v); }
  static Vec load_first(const float* from, int count) { return _mm256_maskload_ps(from, first(count)); }
  static void store_first(float* to, Vec v, int count) { _mm256_maskstore_ps(to, first(count), v); }
  /// The first `count` lanes of v, `other` in the rest.
  static Vec keep_first(Vec v, int count, Vec other) {
    return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(first(count)));
  }

  static Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
  static Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
  static Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
  static Vec negative_fma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }
  static Vec round(Vec v) { return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
  /// v * 2^exponent, for whole exponents up to 127; 0 far below the range.
  static Vec scale(Vec v, Vec exponent) {
    const __m256i whole = _mm256_cvtps_epi32(_mm256_max_ps(exponent, set(-127.0f)));
    const __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(whole, _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(v, _mm256_castsi256_ps(bits));
  }
  static Vec reciprocal_estimate(Vec v) { return _mm256_rcp_ps(v); }
  static float sum(Vec v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
  }
  static float largest(Vec v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
  }

  /// Turns kWidth rows of kWidth numbers into columns.
  static void transpose(const float* from, int from_stride, float* to, int to_stride) {
    Vec a[8], b[8];
    for (int i = 0; i < 8; ++i) a[i] = load(from + i * from_stride);
    for (int i = 0; i < 8; i += 2) {
      b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
      b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
      for (int j = 0; j < 2; ++j) {
        a[i + 2 * j] = _mm256_shuffle_ps(b[i + j], b[i + j + 2], 0x44);
        a[i + 2 * j + 1] = _mm256_shuffle_ps(b[i + j], b[i + j + 2], 0xee);
      }
    for (int i = 0; i < 4; ++i) {
      store(to + i * to_stride, _mm256_permute2f128_ps(a[i], a[4 + i], 0x20));
      store(to + (4 + i) * to_stride, _mm256_permute2f128_ps(a[i], a[4 + i], 0x31));
    }
  }

 private:
  static __m256i first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace
}  // namespace neuopt::backends::cpu
