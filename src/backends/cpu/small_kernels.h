// The kernels that are neither products nor attention: normalisation, gates, the last decoder layer, softmax.
#pragma once

#include "backends/cpu/kernel_math.h"
#include "backends/cpu/kernels.h"

namespace neuopt::backends::cpu {

template <class S>
void node_scores(const NodeScores& ns) {
  using Vec = typename S::Vec;
  const int width = ns.width;
  for (int i = 0; i < ns.count; ++i) {
    const float* key = ns.keys + static_cast<long>(ns.rows[i]) * 4 * width;
    Vec sum = S::zero();
    for (int stream = 0; stream < 2; ++stream) {
      const float* k = key + stream * 2 * width;
      const float* q = ns.queries[stream];
      const float* v = ns.v + stream * width;
      for (int c = 0; c < width; c += S::kWidth) {
        const Vec linear = S::add(S::load(k + c), S::load(q + c));
        const Vec product = S::fma(S::load(k + width + c), S::load(q + width + c), linear);
        sum = S::fma(S::load(v + c), tanh_of_scaled<S>(product), sum);
      }
    }
    ns.out[i] = S::sum(sum);
  }
}

template <class S>
void transpose(const float* in, int in_stride, int rows, int columns, float* out, int out_stride) {
  for (int row = 0; row < rows; row += S::kWidth)
    for (int column = 0; column < columns; column += S::kWidth)
      S::transpose(in + static_cast<long>(row) * in_stride + column, in_stride,
                   out + static_cast<long>(column) * out_stride + row, out_stride);
}

/// Calls part(vector, offset, count) over a row of `columns` numbers; the last vector may be partial.
template <class S, class Part>
inline void for_each_vector(int columns, Part&& part) {
  int c = 0;
  for (; c + S::kWidth <= columns; c += S::kWidth) part(c, S::kWidth);
  if (c < columns) part(c, columns - c);
}

template <class S>
void normalize(float* x, int stride, int rows, int columns) {
  using Vec = typename S::Vec;
  const auto load = [](const float* from, int count) {
    return count == S::kWidth ? S::load(from) : S::load_first(from, count);
  };
  const double count = static_cast<double>(rows) * columns;
  // Two passes: the sums of squares of the differences to the mean lose no digits.
  double total = 0;
  for (int row = 0; row < rows; ++row) {
    Vec sum = S::zero();
    for_each_vector<S>(columns,
                       [&](int c, int n) { sum = S::add(sum, load(x + static_cast<long>(row) * stride + c, n)); });
    total += static_cast<double>(S::sum(sum));
  }
  const float mean = static_cast<float>(total / count);
  double squares = 0;
  for (int row = 0; row < rows; ++row) {
    Vec sum = S::zero();
    for_each_vector<S>(columns, [&](int c, int n) {
      Vec difference = S::sub(load(x + static_cast<long>(row) * stride + c, n), S::set(mean));
      if (n < S::kWidth) difference = S::keep_first(difference, n, S::zero());
      sum = S::fma(difference, difference, sum);
    });
    squares += static_cast<double>(S::sum(sum));
  }
  const Vec factor = S::set(1.0f / __builtin_sqrtf(static_cast<float>(squares / (count - 1)) + 1e-5f));
  for (int row = 0; row < rows; ++row)
    for_each_vector<S>(columns, [&](int c, int n) {
      float* at = x + static_cast<long>(row) * stride + c;
      const Vec value = S::mul(S::sub(load(at, n), S::set(mean)), factor);
      n == S::kWidth ? S::store(at, value) : S::store_first(at, value, n);
    });
}

template <class S>
void column_sums(const float* x, int stride, int rows, int columns, float* out) {
  for (int c = 0; c < columns; c += S::kWidth) {
    typename S::Vec sum = S::zero();
    for (int row = 0; row < rows; ++row) sum = S::add(sum, S::load(x + static_cast<long>(row) * stride + c));
    S::store(out + c, sum);
  }
}

template <class S>
void gru(const float* input_gates, const float* hidden_gates, int width, float* hidden) {
  using Vec = typename S::Vec;
  for (int c = 0; c < width; c += S::kWidth) {
    const auto input = [&](int gate) { return S::load(input_gates + gate * width + c); };
    const auto recurrent = [&](int gate) { return S::load(hidden_gates + gate * width + c); };
    const Vec reset = sigmoid<S>(S::add(input(0), recurrent(0)));
    const Vec update = sigmoid<S>(S::add(input(1), recurrent(1)));
    const Vec fresh = tanh<S>(S::fma(reset, recurrent(2), input(2)));
    const Vec old = S::load(hidden + c);
    S::store(hidden + c, S::fma(update, S::sub(old, fresh), fresh));
  }
}

template <class S>
void tanh_in_place(float* x, int count) {
  for_each_vector<S>(count, [&](int c, int n) {
    if (n == S::kWidth)
      S::store(x + c, tanh<S>(S::load(x + c)));
    else
      S::store_first(x + c, tanh<S>(S::load_first(x + c, n)), n);
  });
}

template <class S>
float exponentials(float* x, int count) {
  using Vec = typename S::Vec;
  float largest = x[0];
  for (int i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  const Vec top = S::set(largest), scale = S::set(kLog2E);
  Vec sum = S::zero();
  for_each_vector<S>(count, [&](int c, int n) {
    const Vec in = n == S::kWidth ? S::load(x + c) : S::load_first(x + c, n);
    Vec power = exp2<S>(S::mul(S::sub(in, top), scale));
    if (n < S::kWidth) power = S::keep_first(power, n, S::zero());
    n == S::kWidth ? S::store(x + c, power) : S::store_first(x + c, power, n);
    sum = S::add(sum, power);
  });
  return S::sum(sum);
}

/// Independent chains of multiply-adds on registers: as many operations as the processor can do.
template <class S>
double peak(long rounds) {
  constexpr int kChains = 12;
  typename S::Vec chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = S::set(1.0f + static_cast<float>(i));
  const typename S::Vec factor = S::set(0.999f), term = S::set(0.001f);
  for (long round = 0; round < rounds; ++round)
    for (int i = 0; i < kChains; ++i) chain[i] = S::fma(chain[i], factor, term);
  volatile float keep = 0;
  for (int i = 0; i < kChains; ++i) keep = keep + S::sum(chain[i]);
  return 2.0 * S::kWidth * kChains * static_cast<double>(rounds);
}

}  // namespace neuopt::backends::cpu
