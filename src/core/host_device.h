// Marks functions that are compiled for the host and, under nvcc, for the device as well.
#pragma once

#if defined(__CUDACC__)
#define NEUOPT_HD __host__ __device__ inline
#else
#define NEUOPT_HD inline
#endif
