// Matrix products of the network in single precision. Every sum is made in one order, from the first factor to the
// last, however many rows and items there are: an answer then does not depend on how copies are split into batches, as
// it would with a library that chooses its kernels by the shape.
#pragma once

#include <cuda_runtime.h>

namespace neuopt::backends::cuda {

/// A matrix for each item of a batch: value (row, column) of an item is first[item * items + row * rows + column *
/// columns].
template <class T>
struct Strided {
  T* first;
  long rows, columns = 1, items = 0;
};

struct ProductShape {
  int items, rows, columns, inner;
};

/// z (rows, columns) = x (rows, inner) times y (inner, columns), plus `keep` times the old z, for every item. T is
/// float or double. Only queues work.
template <class T>
void multiply(const ProductShape& shape, Strided<const T> x, Strided<const T> y, Strided<T> z, T keep,
              cudaStream_t stream);

}  // namespace neuopt::backends::cuda
