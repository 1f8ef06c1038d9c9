// Elementary functions at the speed of the hardware's tables. For CUDA sources only.
#pragma once

#include <cmath>

namespace neuopt {

/// 2^x to a few units of the last place; 0 where the result would be below the normal numbers.
__device__ __forceinline__ float fast_exp2(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(result) : "f"(x));
  return result;
#else
  return std::exp2(x);
#endif
}

}  // namespace neuopt
