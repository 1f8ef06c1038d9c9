#include "backends/reference/matrix.h"

#include <algorithm>

namespace neuopt::backends::reference {

Vector linear(std::span<const double> x, std::span<const float> weight, std::span<const float> bias) {
  const std::size_t in = x.size(), out = weight.size() / in;
  Vector result(out);
  for (std::size_t o = 0; o < out; ++o) {
    double sum = bias.empty() ? 0.0 : static_cast<double>(bias[o]);
    for (std::size_t i = 0; i < in; ++i) sum += weight[o * in + i] * x[i];
    result[o] = sum;
  }
  return result;
}

Matrix linear(const Matrix& x, std::span<const float> weight, std::span<const float> bias) {
  Matrix result(x.rows, static_cast<int>(weight.size()) / x.cols);
  for (int row = 0; row < x.rows; ++row) {
    const Vector values = linear(x.row(row), weight, bias);
    std::copy(values.begin(), values.end(), result.row(row).begin());
  }
  return result;
}

Matrix product(const Matrix& x, std::span<const float> weight) {
  const int out = static_cast<int>(weight.size()) / x.cols;
  Matrix result(x.rows, out);
  for (int row = 0; row < x.rows; ++row)
    for (int i = 0; i < x.cols; ++i)
      for (int o = 0; o < out; ++o) result(row, o) += x(row, i) * weight[static_cast<std::size_t>(i) * out + o];
  return result;
}

Matrix product_transposed(const Matrix& x, const Matrix& y) {
  Matrix result(x.rows, y.rows);
  for (int i = 0; i < x.rows; ++i)
    for (int j = 0; j < y.rows; ++j) result(i, j) = dot(x.row(i), y.row(j));
  return result;
}

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

void add(Matrix& target, const Matrix& term) {
  for (std::size_t i = 0; i < target.values.size(); ++i) target.values[i] += term.values[i];
}

void relu(std::span<double> values) {
  for (double& value : values) value = std::max(value, 0.0);
}

Vector row_mean(const Matrix& x) {
  Vector mean(static_cast<std::size_t>(x.cols), 0.0);
  for (int row = 0; row < x.rows; ++row)
    for (int col = 0; col < x.cols; ++col) mean[col] += x(row, col) / x.rows;
  return mean;
}

}  // namespace neuopt::backends::reference
