// Four numbers at a time with the compiler's own vectors: what every processor can do.
#pragma once

namespace neuopt::backends::cpu {
namespace {  // nothing compiled with special instructions may be linked into other files

struct Plain {
  static constexpr int kWidth = 4;
  static constexpr int kTileSums = 12;  // vectors of a product's result held in registers, out of 16
  static constexpr int kWideVecs = 2;   // width of a tile where there are columns enough

  typedef float Vec __attribute__((vector_size(16)));

  static Vec set(float value) { return Vec{value, value, value, value}; }
  static Vec zero() { return set(0); }
  static Vec load(const float* from) { return Vec{from[0], from[1], from[2], from[3]}; }
  static void store(float* to, Vec v) {
    for (int i = 0; i < kWidth; ++i) to[i] = v[i];
  }
  static Vec load_first(const float* from, int count) {
    Vec v = zero();
    for (int i = 0; i < count; ++i) v[i] = from[i];
    return v;
  }
  static void store_first(float* to, Vec v, int count) {
    for (int i = 0; i < count; ++i) to[i] = v[i];
  }
  /// The first `count` lanes of v, `other` in the rest.
  static Vec keep_first(Vec v, int count, Vec other) {
    for (int i = count; i < kWidth; ++i) v[i] = other[i];
    return v;
  }

  static Vec add(Vec a, Vec b) { return a + b; }
  static Vec sub(Vec a, Vec b) { return a - b; }
  static Vec mul(Vec a, Vec b) { return a * b; }
  static Vec max(Vec a, Vec b) { return a > b ? a : b; }
  static Vec min(Vec a, Vec b) { return a < b ? a : b; }
  static Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
  static Vec negative_fma(Vec a, Vec b, Vec c) { return c - a * b; }
  /// To the nearest whole number, for |v| < 2^22: adding 1.5 * 2^23 leaves no room for a fraction.
  static Vec round(Vec v) {
    const Vec shift = set(12582912.0f);
    return (v + shift) - shift;
  }
  /// v * 2^exponent, for whole exponents up to 127; 0 far below the range.
  static Vec scale(Vec v, Vec exponent) {
    for (int i = 0; i < kWidth; ++i) {
      const int whole = static_cast<int>(exponent[i] > -127.0f ? exponent[i] : -127.0f);
      v[i] *= __builtin_bit_cast(float, (whole + 127) << 23);
    }
    return v;
  }
  static Vec reciprocal_estimate(Vec v) { return set(1.0f) / v; }
  static float sum(Vec v) { return (v[0] + v[2]) + (v[1] + v[3]); }
  static float largest(Vec v) {
    float result = v[0];
    for (int i = 1; i < kWidth; ++i) result = v[i] > result ? v[i] : result;
    return result;
  }

  /// Turns kWidth rows of kWidth numbers into columns.
  static void transpose(const float* from, int from_stride, float* to, int to_stride) {
    for (int i = 0; i < kWidth; ++i)
      for (int j = 0; j < kWidth; ++j) to[j * to_stride + i] = from[i * from_stride + j];
  }
};

}  // namespace
}  // namespace neuopt::backends::cpu
