// Launchers of the residual connection with its instance norm, in half precision. Device pointers, a stream as void*.
#pragma once

#include <cuda_fp16.h>

namespace neuopt::train::cuda {

inline constexpr int kNormMaxNumbers = 256 * 128;  // of an instance; a multiple of 8

/// result (B, M) = (x + y - mean) * rate with mean and rate = 1 / sqrt(variance + 1e-5) over the M numbers of an
/// instance (unbiased variance); rates (B).
void residual_norm_forward(int batch, int numbers, const __half* x, const __half* y, __half* result, float* rates,
                           void* stream);

/// The gradient of x, which is also that of y; may be written over `result_gradient`.
void residual_norm_backward(int batch, int numbers, const __half* result, const float* rates,
                            const __half* result_gradient, __half* gradient, void* stream);

}  // namespace neuopt::train::cuda
