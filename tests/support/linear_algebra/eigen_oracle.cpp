#include "tests/support/linear_algebra/eigen_oracle.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <unsupported/Eigen/CXX11/Tensor>

namespace nnrt::test::eigen {
namespace {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T, int rank>
using Tensor = Eigen::Tensor<T, rank, Eigen::RowMajor>;
using ReducedDims = Eigen::array<Index, 2>;
constexpr ReducedDims kReducedDims{1, 3};

template <typename T>
Eigen::TensorMap<const Tensor<T, 4>> mapped(const Dims& dims, const std::vector<T>& values) {
  return {values.data(), Eigen::array<Index, 4>(dims)};
}

template <typename T, typename Expression>
std::vector<T> evaluated(const Expression& expression) {
  const Tensor<T, 2> result = expression;
  return {result.data(), result.data() + result.size()};
}

// Reversed dimensions: column-major Eigen sees NHWC as [C, W, H, N], the order its image patches expect.
using Image = Eigen::Tensor<double, 4>;
Image image_of(const Shape& shape, const Reals& values) {
  return Eigen::TensorMap<const Image>(values.data(), shape[3], shape[2], shape[1], shape[0]);
}

// Padding before the patches' first row and column, after which each position is a patch.
std::array<int64_t, 4> patch_padding(const Convolution& c) {
  if (!c.transposed) return c.pad;
  std::array<int64_t, 4> pad{};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = (c.w[d + 1] - 1) * c.dilation[d];
    pad[2 * d] = reach - c.pad[2 * d];
    pad[2 * d + 1] = reach - c.pad[2 * d + 1] + c.output_padding[d];
  }
  return pad;
}

// [channels of a group's input, width, height, batch] as one column of w's length for each output pixel.
Image patches_of(const Convolution& c, const Image& x) {
  const std::array<int64_t, 4> pad = patch_padding(c);
  const std::array<int64_t, 2> one{1, 1};
  const auto& step = c.transposed ? one : c.stride;
  const auto& inflation = c.transposed ? c.stride : one;
  const Index taps = c.w[1] * c.w[2] * x.dimension(0);
  const Shape y = c.result();
  // Width is Eigen's row.
  return x
      .extract_image_patches(c.w[2], c.w[1], step[1], step[0], c.dilation[1], c.dilation[0], inflation[1],
                             inflation[0], pad[2], pad[3], pad[0], pad[1], 0.0)
      .reshape(Eigen::array<Index, 4>{taps, y[2], y[1], y[0]});
}

}  // namespace

Reals gemm(const Gemm& shape, const Reals& a, const Reals& b) {
  const Index size_a = shape.rows * shape.inner, size_b = shape.inner * shape.columns;
  const auto matrix = [](const double* data, Index rows, Index columns, bool transposed) -> Matrix {
    if (transposed) return Eigen::Map<const Matrix>(data, columns, rows).transpose();
    return Eigen::Map<const Matrix>(data, rows, columns);
  };
  Reals result;
  for (Index i = 0; i < std::max(shape.batch_a[0], shape.batch_b[0]); ++i) {
    for (Index j = 0; j < std::max(shape.batch_a[1], shape.batch_b[1]); ++j) {
      const auto at = [&](const std::array<int64_t, 2>& batch) {
        return (i % batch[0]) * batch[1] + j % batch[1];
      };
      const Matrix product =
          matrix(a.data() + at(shape.batch_a) * size_a, shape.rows, shape.inner, shape.transpose_a) *
          matrix(b.data() + at(shape.batch_b) * size_b, shape.inner, shape.columns, shape.transpose_b);
      result.insert(result.end(), product.data(), product.data() + product.size());
    }
  }
  return result;
}

Shape Convolution::result() const {
  Shape y{x[0], 0, 0, w[0]};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = (w[d + 1] - 1) * dilation[d] + 1, padding = pad[2 * d] + pad[2 * d + 1];
    y[d + 1] = transposed ? (x[d + 1] - 1) * stride[d] + reach - padding + output_padding[d]
                          : (x[d + 1] + padding - reach) / stride[d] + 1;
  }
  return y;
}

std::ostream& operator<<(std::ostream& to, const Convolution& c) {
  using testing::PrintToString;
  return to << to_string(c.x) << " by " << to_string(c.w) << ", stride " << PrintToString(c.stride)
            << ", dilation " << PrintToString(c.dilation) << ", pad " << PrintToString(c.pad) << ", groups "
            << c.groups << (c.transposed ? ", transposed" : "");
}

Reals convolution(const Convolution& c, const Reals& x, const Reals& w) {
  const Image image = image_of(c.x, x);
  Image weights = image_of(c.w, w);
  if (c.transposed) weights = Image(weights.reverse(Eigen::array<bool, 4>{false, true, true, false}));
  const Shape y = c.result();
  const Index pixels = y[0] * y[1] * y[2], in = c.w[3], out = c.w[0] / c.groups, taps = c.w[1] * c.w[2] * in;
  Matrix result(pixels, c.w[0]);
  for (Index group = 0; group < c.groups; ++group) {
    const Image channels = image.slice(Eigen::array<Index, 4>{group * in, 0, 0, 0},
                                       Eigen::array<Index, 4>{in, c.x[2], c.x[1], c.x[0]});
    const Image patches = patches_of(c, channels);
    const Eigen::Map<const Matrix> rows(patches.data(), pixels, taps);
    const Eigen::Map<const Matrix> filters(weights.data() + group * out * taps, out, taps);
    result.middleCols(group * out, out) = rows * filters.transpose();
  }
  return {result.data(), result.data() + result.size()};
}

Reals normalized(Norm norm, const Dims& dims, const Reals& x, double epsilon) {
  const auto input = mapped(dims, x);
  const Eigen::array<Index, 4> line{dims[0], 1, dims[2], 1}, repeats{1, dims[1], 1, dims[3]};
  Tensor<double, 4> values = input;
  if (norm == Norm::layer) {
    const Tensor<double, 2> mean = input.mean(kReducedDims);
    values = input - mean.reshape(line).broadcast(repeats);
  }
  Tensor<double, 2> scale;
  if (norm == Norm::l2) {
    scale = values.square().sum(kReducedDims).cwiseMax(epsilon).rsqrt();
  } else {
    scale = (values.square().mean(kReducedDims) + epsilon).rsqrt();
  }
  const Tensor<double, 4> result = values * scale.reshape(line).broadcast(repeats);
  return {result.data(), result.data() + result.size()};
}

Reals reduced(Reduction reduction, const Dims& dims, const Reals& x) {
  const auto input = mapped(dims, x);
  switch (reduction) {
    case Reduction::sum: return evaluated<double>(input.sum(kReducedDims));
    case Reduction::mean: return evaluated<double>(input.mean(kReducedDims));
    case Reduction::product: return evaluated<double>(input.prod(kReducedDims));
    case Reduction::l2: break;
  }
  return evaluated<double>(input.square().sum(kReducedDims).sqrt());
}

template <typename Unsigned>
std::vector<Unsigned> wrapped(Reduction reduction, const Dims& dims, const std::vector<Unsigned>& x) {
  const auto input = mapped(dims, x);
  if (reduction == Reduction::sum) return evaluated<Unsigned>(input.sum(kReducedDims));
  return evaluated<Unsigned>(input.prod(kReducedDims));
}
template std::vector<uint32_t> wrapped(Reduction, const Dims&, const std::vector<uint32_t>&);
template std::vector<uint64_t> wrapped(Reduction, const Dims&, const std::vector<uint64_t>&);

}  // namespace nnrt::test::eigen
