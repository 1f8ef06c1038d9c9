#include <algorithm>

#include "backends/cuda/products.cuh"
#include "device/cuda_check.h"

namespace neuopt::backends::cuda {
namespace {

using namespace products;

template <class T, int kRows, int kColumns>
__global__ void __launch_bounds__(kThreads, 2)
    multiply_kernel(ProductShape shape, Strided<const T> x, Strided<const T> y, Strided<T> z, T keep) {
  multiply_tile<T, kRows, kColumns>(shape, x, y, z, keep);
}

unsigned tiles(int count, int each) { return static_cast<unsigned>((count + each - 1) / each); }

template <class T, int kRows, int kColumns>
void launch(const ProductShape& shape, Strided<const T> x, Strided<const T> y, Strided<T> z, T keep,
            cudaStream_t stream) {
  constexpr int kMostItems = 65535;  // of a grid in this direction
  for (int first = 0; first < shape.items; first += kMostItems) {
    const int items = std::min(kMostItems, shape.items - first);
    const dim3 grid(tiles(shape.rows, kRows), tiles(shape.columns, kColumns), static_cast<unsigned>(items));
    multiply_kernel<T, kRows, kColumns><<<grid, kThreads, 0, stream>>>(shape, x, y, z, keep);
    x.first += items * x.items, y.first += items * y.items, z.first += items * z.items;
  }
  check_cuda(cudaGetLastError(), "matrix product");
}

}  // namespace

template <>
void multiply(const ProductShape& shape, Strided<const float> x, Strided<const float> y, Strided<float> z, float keep,
              cudaStream_t stream) {
  constexpr long kFilled = 256;  // so many large tiles keep a GPU busy; where there are fewer, smaller ones do
  const long large = static_cast<long>(shape.items) * tiles(shape.rows, 128) * tiles(shape.columns, 128);
  if (shape.columns <= 32)
    launch<float, 128, 32>(shape, x, y, z, keep, stream);
  else if (large >= kFilled)
    launch<float, 128, 128>(shape, x, y, z, keep, stream);
  else
    launch<float, 64, 64>(shape, x, y, z, keep, stream);
}

template <>
void multiply(const ProductShape& shape, Strided<const double> x, Strided<const double> y, Strided<double> z,
              double keep, cudaStream_t stream) {
  launch<double, 64, 64>(shape, x, y, z, keep, stream);
}

}  // namespace neuopt::backends::cuda
