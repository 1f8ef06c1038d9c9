// The few dense operations of the reference backend, in double and without tricks.
#pragma once

#include <span>
#include <vector>

namespace neuopt::backends::reference {

using Vector = std::vector<double>;

struct Matrix {
  int rows = 0;
  int cols = 0;
  Vector values;  // (rows, cols) row by row

  Matrix() = default;
  Matrix(int row_count, int col_count)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>(row_count) * col_count, 0.0) {}

  double& operator()(int row, int col) { return values[static_cast<std::size_t>(row) * cols + col]; }
  double operator()(int row, int col) const { return values[static_cast<std::size_t>(row) * cols + col]; }
  std::span<double> row(int index) {
    return {values.data() + static_cast<std::size_t>(index) * cols, std::size_t(cols)};
  }
  std::span<const double> row(int index) const {
    return {values.data() + static_cast<std::size_t>(index) * cols, std::size_t(cols)};
  }
};

/// weight (out, in) times x (in), plus bias (out) unless that is empty.
Vector linear(std::span<const double> x, std::span<const float> weight, std::span<const float> bias = {});

/// The same for every row of x (N, in): (N, out).
Matrix linear(const Matrix& x, std::span<const float> weight, std::span<const float> bias = {});

/// x (N, in) times weight (in, out), as the heads' projections are stored.
Matrix product(const Matrix& x, std::span<const float> weight);

/// x (N, d) times the transpose of y (M, d): (N, M).
Matrix product_transposed(const Matrix& x, const Matrix& y);

double dot(std::span<const double> x, std::span<const double> y);
void add(Matrix& target, const Matrix& term);
void relu(std::span<double> values);
/// The mean of the rows.
Vector row_mean(const Matrix& x);

}  // namespace neuopt::backends::reference
