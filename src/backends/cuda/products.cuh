// A block of 16 x 16 threads makes a tile of kRows x kColumns sums, each thread a part of it in registers. The factors
// come through shared memory, kSlab of `inner` at a time, the next ones while a block works on the last.
#pragma once

#include "backends/cuda/products.h"

namespace neuopt::backends::cuda::products {

constexpr int kSide = 16, kThreads = kSide * kSide, kSlab = 16;

__device__ inline float multiply_add(float x, float y, float sum) { return fmaf(x, y, sum); }
__device__ inline double multiply_add(double x, double y, double sum) { return fma(x, y, sum); }

/// The way of one factor into shared memory. Its lines are the rows of x or the columns of y, kLines of them.
template <class T, int kLines>
class Slab {
 public:
  static constexpr int kPitch = kLines + 4;  // keeps most stores of a warp in banks of their own
  using Shared = T[kSlab][kPitch];

  /// Lines begin `line_step` values apart, their values `inner_step`; what is beyond `lines` and `inner` counts as 0.
  /// Threads side by side take values that are.
  __device__ Slab(const T* from, long line_step, long inner_step, int lines, int inner) {
    const int thread = static_cast<int>(threadIdx.x);
    const bool along_inner = inner_step == 1;
    line_ = along_inner ? thread / kSlab : thread % kLines;
    inner_ = along_inner ? thread % kSlab : thread / kLines;
    next_line_ = along_inner ? kThreads / kSlab : 0;
    next_inner_ = along_inner ? 0 : kThreads / kLines;
    from_ = from + line_ * line_step + inner_ * inner_step;
    step_ = next_line_ * line_step + next_inner_ * inner_step;
    next_slab_ = kSlab * inner_step;
    lines_left_ = lines - line_;
    inner_left_ = inner - inner_;
  }

  /// Into registers, and on to the next slab.
  __device__ void fetch() {
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      value_[i] = i * next_line_ < lines_left_ && i * next_inner_ < inner_left_ ? from_[i * step_] : T{0};
    from_ += next_slab_;
    inner_left_ -= kSlab;
  }

  __device__ void store(Shared& shared) const {
#pragma unroll
    for (int i = 0; i < kEach; ++i) shared[inner_ + i * next_inner_][line_ + i * next_line_] = value_[i];
  }

 private:
  static constexpr int kEach = kLines * kSlab / kThreads;
  static_assert(kThreads % kLines == 0);

  int line_, inner_, next_line_, next_inner_;  // of the values of a thread: the first, and how far the next one is
  const T* from_;
  long step_, next_slab_;
  int lines_left_, inner_left_;
  T value_[kEach];
};

/// The lines of a tile that thread `index` of a side has: groups of up to four neighbours, one group in each stretch,
/// so that a warp reads stretches without gaps.
template <int kLines>
struct Share {
  static constexpr int kEach = kLines / kSide, kGroup = kEach < 4 ? kEach : 4;
  __device__ static int line(int index, int i) { return i / kGroup * (kGroup * kSide) + index * kGroup + i % kGroup; }
};

template <class T, int kRows, int kColumns>
__device__ inline void multiply_tile(const ProductShape& shape, const Strided<const T>& x, const Strided<const T>& y,
                                     const Strided<T>& z, T keep) {
  using Rows = Share<kRows>;
  using Columns = Share<kColumns>;
  alignas(16) __shared__ typename Slab<T, kRows>::Shared shared_x;
  alignas(16) __shared__ typename Slab<T, kColumns>::Shared shared_y;
  const int first_row = static_cast<int>(blockIdx.x) * kRows, first_column = static_cast<int>(blockIdx.y) * kColumns;
  const long item = blockIdx.z;
  Slab<T, kRows> slab_x(x.first + item * x.items + first_row * x.rows, x.rows, x.columns, shape.rows - first_row,
                        shape.inner);
  Slab<T, kColumns> slab_y(y.first + item * y.items + first_column * y.columns, y.columns, y.rows,
                           shape.columns - first_column, shape.inner);
  const int row = static_cast<int>(threadIdx.x) / kSide, column = static_cast<int>(threadIdx.x) % kSide;
  T sum[Rows::kEach][Columns::kEach] = {};
  slab_x.fetch();
  slab_y.fetch();
  for (int first = 0; first < shape.inner; first += kSlab) {
    slab_x.store(shared_x);
    slab_y.store(shared_y);
    __syncthreads();
    slab_x.fetch();
    slab_y.fetch();
#pragma unroll
    for (int k = 0; k < kSlab; ++k) {
      T left[Rows::kEach], right[Columns::kEach];
#pragma unroll
      for (int i = 0; i < Rows::kEach; ++i) left[i] = shared_x[k][Rows::line(row, i)];
#pragma unroll
      for (int j = 0; j < Columns::kEach; ++j) right[j] = shared_y[k][Columns::line(column, j)];
#pragma unroll
      for (int i = 0; i < Rows::kEach; ++i)
#pragma unroll
        for (int j = 0; j < Columns::kEach; ++j) sum[i][j] = multiply_add(left[i], right[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Rows::kEach; ++i) {
    const int r = first_row + Rows::line(row, i);
    if (r >= shape.rows) continue;
#pragma unroll
    for (int j = 0; j < Columns::kEach; ++j) {
      const int c = first_column + Columns::line(column, j);
      if (c >= shape.columns) continue;
      T* to = z.first + item * z.items + r * z.rows + c * z.columns;
      *to = keep == T{0} ? sum[i][j] : multiply_add(keep, *to, sum[i][j]);
    }
  }
}

}  // namespace neuopt::backends::cuda::products
