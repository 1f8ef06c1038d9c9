#include "backends/cuda/blas.h"

#include <string>

namespace neuopt::backends::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what cuBLAS asks for on recent devices

}  // namespace

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw ResourceError(std::string(what) + ": " + cublasGetStatusString(status));
}

// cuBLAS counts by columns: a row-major matrix is its transpose there. So each product below is written as the
// transposed product with its factors exchanged.

Blas::Blas(cudaStream_t stream) : workspace_(kWorkspaceBytes) {
  check_cublas(cublasCreate(&handle_), "opening cuBLAS");
  check_cublas(cublasSetStream(handle_, stream), "cuBLAS");
  // Memory of its own keeps the products free of allocations, so that they can be captured.
  check_cublas(cublasSetWorkspace(handle_, workspace_.data(), kWorkspaceBytes), "cuBLAS");
}

void Blas::linear(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, int y_stride,
                  float keep) {
  const float one = 1;
  check_cublas(cublasSgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, outputs, rows, inputs, &one, weight, inputs, x, inputs,
                           &keep, y, y_stride),
               "matrix product");
}

void Blas::product(int rows, int inputs, int outputs, const float* x, const float* weight, float* y, float keep) {
  const float one = 1;
  check_cublas(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, outputs, rows, inputs, &one, weight, outputs, x, inputs,
                           &keep, y, outputs),
               "matrix product");
}

void Blas::product(int rows, int inputs, int outputs, const double* x, const double* weight, double* y) {
  const double one = 1, zero = 0;
  check_cublas(cublasDgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, outputs, rows, inputs, &one, weight, outputs, x, inputs,
                           &zero, y, outputs),
               "matrix product");
}

void Blas::product_transposed(int items, int m, int n, int inner, Strided<const float> x, Strided<const float> y,
                              Strided<float> z) {
  const float one = 1, zero = 0;
  check_cublas(cublasSgemmStridedBatched(handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, m, inner, &one, y.first, y.row, y.item,
                                         x.first, x.row, x.item, &zero, z.first, z.row, z.item, items),
               "matrix product");
}

void Blas::product_transposed(int m, int n, int inner, Strided<const double> x, Strided<const double> y, double* z) {
  const double one = 1, zero = 0;
  check_cublas(
      cublasDgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, m, inner, &one, y.first, y.row, x.first, x.row, &zero, z, n),
      "matrix product");
}

void Blas::batched_product(int items, int m, int n, int inner, Strided<const float> x, Strided<const float> y,
                           Strided<float> z) {
  const float one = 1, zero = 0;
  check_cublas(cublasSgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, inner, &one, y.first, y.row, y.item,
                                         x.first, x.row, x.item, &zero, z.first, z.row, z.item, items),
               "matrix product");
}

}  // namespace neuopt::backends::cuda
