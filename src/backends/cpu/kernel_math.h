// exp and tanh on vectors, to a few units in the last place of single precision.
#pragma once

namespace neuopt::backends::cpu {

inline constexpr float kLog2E = 1.44269504088896341f;
inline constexpr float kTanhScale = 2 * kLog2E;  // tanh(x) = 1 - 2 / (2^(kTanhScale x) + 1)

/// 2^x for x <= 126, to 2e-7 relative. Far below the range it is 0.
template <class S>
inline typename S::Vec exp2(typename S::Vec x) {
  using Vec = typename S::Vec;
  const Vec whole = S::round(x);
  const Vec f = S::sub(x, whole);
  // 2^f on [-1/2, 1/2]: the polynomial of degree 5 with p(0) = 1 and the least relative error (9e-8).
  Vec p = S::fma(f, S::set(1.3264727262e-3f), S::set(9.6715127104e-3f));
  p = S::fma(p, f, S::set(5.5507337437e-2f));
  p = S::fma(p, f, S::set(2.4022242084e-1f));
  p = S::fma(p, f, S::set(6.9314697760e-1f));
  p = S::fma(p, f, S::set(1.0f));
  return S::scale(p, whole);
}

/// 1 / x, refined from the processor's estimate, for x in [1, 2^64].
template <class S>
inline typename S::Vec reciprocal(typename S::Vec x) {
  using Vec = typename S::Vec;
  const Vec estimate = S::reciprocal_estimate(x);
  return S::fma(estimate, S::negative_fma(x, estimate, S::set(1.0f)), estimate);
}

/// tanh(x) for y = kTanhScale x, to about 2e-7 absolute.
template <class S>
inline typename S::Vec tanh_of_scaled(typename S::Vec y) {
  using Vec = typename S::Vec;
  const Vec power = exp2<S>(S::min(y, S::set(60.0f)));
  return S::negative_fma(S::set(2.0f), reciprocal<S>(S::add(power, S::set(1.0f))), S::set(1.0f));
}

template <class S>
inline typename S::Vec tanh(typename S::Vec x) {
  return tanh_of_scaled<S>(S::mul(x, S::set(kTanhScale)));
}

template <class S>
inline typename S::Vec sigmoid(typename S::Vec x) {
  const typename S::Vec power = exp2<S>(S::min(S::mul(x, S::set(-kLog2E)), S::set(60.0f)));
  return reciprocal<S>(S::add(power, S::set(1.0f)));
}

}  // namespace neuopt::backends::cpu
