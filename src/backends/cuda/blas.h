// Matrix products by cuBLAS for matrices stored row by row. All calls queue work on one stream and can be captured.
#pragma once

#include <cublas_v2.h>

#include "backends/cuda/device_array.h"

namespace neuopt::backends::cuda {

class Blas {
 public:
  explicit Blas(cudaStream_t stream);
  ~Blas() { cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// y (rows, outputs) = x (rows, inputs) times the transpose of weight (outputs, inputs), plus `keep` times the old y.
  /// Rows of y begin y_stride values apart.
  void linear(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, int y_stride,
              float keep = 0);

  /// The same with weight (inputs, outputs).
  void product(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, float keep = 0);
  void product(int rows, int inputs, int outputs, const double* x, const double* weight, double* y);

  /// A matrix for each item of a batch: where the first one begins, how far apart rows and matrices are.
  template <class T>
  struct Strided {
    T* first;
    int row;
    long long item;
  };

  /// z (m, n) = x (m, inner) times the transpose of y (n, inner), for every item.
  void product_transposed(int items, int m, int n, int inner, Strided<const float> x, Strided<const float> y,
                          Strided<float> z);
  /// One item in double.
  void product_transposed(int m, int n, int inner, Strided<const double> x, Strided<const double> y, double* z);
  /// z (m, n) = x (m, inner) times y (inner, n), for every item.
  void batched_product(int items, int m, int n, int inner, Strided<const float> x, Strided<const float> y,
                       Strided<float> z);

 private:
  cublasHandle_t handle_ = nullptr;
  DeviceArray<char> workspace_;
};

/// Throws ResourceError.
void check_cublas(cublasStatus_t status, const char* what);

}  // namespace neuopt::backends::cuda
