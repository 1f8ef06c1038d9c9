// Marks functions that are compiled for the host and, under nvcc, for the device as well.
#pragma once

#if defined(__CUDACC__)
#define NEUOPT_HD __host__ __device__ inline
#else
#define NEUOPT_HD inline
#endif

/// Before a loop of device code that stays one: copies of its body would have to be fetched as well.
#if defined(__CUDA_ARCH__)
#define NEUOPT_ROLLED _Pragma("unroll 1")
#else
#define NEUOPT_ROLLED
#endif
