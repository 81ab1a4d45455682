// MediaPipe's window operators against their definitions.
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

using Numbers = std::vector<double>;

constexpr int kSame = 1, kValid = 2;

std::vector<uint8_t> structure(const std::vector<int32_t>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

void check(const std::string& name, const std::vector<Operand>& operands, const std::vector<Operand>& results,
           std::vector<uint8_t> options) {
  check_run(custom_operator(name, operands, results, std::move(options)), operands, results, {}, 2e-5);
}

Operand filled(Shape shape) {
  Operand made = floats(shape, {});
  size_t count = 1;
  for (const int32_t length : shape) count *= size_t(length);
  for (size_t i = 0; i < count; ++i) made.values.push_back(std::sin(double(i * i) + 1) * 4);
  return made;
}

// Each input element is scattered over its filter window.
Operand transposed_convolution(const Operand& x, const Operand& weight, const Numbers& bias, int padding,
                               const int (&stride)[2]) {
  const int kernel[] = {weight.shape[1], weight.shape[2]}, in = x.shape[3], out = weight.shape[0];
  int pads[2], size[2];
  for (int d = 0; d < 2; ++d) {
    const int length = x.shape[size_t(d) + 1];
    pads[d] = padding == kSame ? std::max(0, kernel[d] - (length - 1) % stride[d] - 1) : 0;
    size[d] = (length - 1) * stride[d] + kernel[d] - pads[d];
  }
  Operand y = floats({1, size[0], size[1], out}, {});
  for (int i = 0; i < size[0] * size[1] * out; ++i) y.values.push_back(bias[size_t(i % out)]);
  for (int row = 0; row < x.shape[1]; ++row) {
    for (int column = 0; column < x.shape[2]; ++column) {
      for (int ky = 0; ky < kernel[0]; ++ky) {
        for (int kx = 0; kx < kernel[1]; ++kx) {
          const int oy = row * stride[0] - pads[0] / 2 + ky, ox = column * stride[1] - pads[1] / 2 + kx;
          if (oy < 0 || ox < 0 || oy >= size[0] || ox >= size[1]) continue;
          for (int o = 0; o < out; ++o)
            for (int i = 0; i < in; ++i)
              y.values[size_t((oy * size[1] + ox) * out + o)] +=
                  x.values[size_t((row * x.shape[2] + column) * in + i)] *
                  weight.values[size_t(((o * kernel[0] + ky) * kernel[1] + kx) * in + i)];
        }
      }
    }
  }
  return y;
}

struct Pool {
  int padding, stride[2], filter[2];

  std::vector<uint8_t> options(int activation = 0) const {
    return structure({padding, stride[1], stride[0], filter[1], filter[0], activation, 0, 0, 0, 0});
  }
};

// The maximum of each window and the index of its cell.
std::vector<Operand> pooled(const Operand& x, const Pool& pool) {
  int size[2], before[2];
  for (int d = 0; d < 2; ++d) {
    const int length = x.shape[size_t(d) + 1], stride = pool.stride[d], filter = pool.filter[d];
    size[d] = pool.padding == kSame ? (length + stride - 1) / stride : (length - filter + stride) / stride;
    before[d] = std::max(0, (size[d] - 1) * stride + filter - length) / 2;
  }
  const int channels = x.shape[3];
  Operand largest = floats({1, size[0], size[1], channels}, {}), places = largest;
  for (int oy = 0; oy < size[0]; ++oy) {
    for (int ox = 0; ox < size[1]; ++ox) {
      for (int c = 0; c < channels; ++c) {
        double best = -1e30;
        int cell = 0;
        for (int k = 0; k < pool.filter[0] * pool.filter[1]; ++k) {
          const int iy = oy * pool.stride[0] - before[0] + k / pool.filter[1],
                    ix = ox * pool.stride[1] - before[1] + k % pool.filter[1];
          if (iy < 0 || ix < 0 || iy >= x.shape[1] || ix >= x.shape[2]) continue;
          const double value = x.values[size_t((iy * x.shape[2] + ix) * channels + c)];
          if (value > best) cell = k;
          best = std::max(best, value);
        }
        largest.values.push_back(best);
        places.values.push_back(cell + 0.1);
      }
    }
  }
  return {largest, places};
}

}  // namespace

TEST(TfliteImageCustom, TransposedConvolutionHasABias) {
  const Shape filters[] = {{3, 2, 2, 2}, {3, 3, 3, 2}, {1, 4, 3, 2}};
  const int strides[][2] = {{2, 2}, {1, 3}, {3, 2}};
  const Operand x = filled({1, 4, 5, 2});
  for (const Shape& shape : filters) {
    for (const auto& stride : strides) {
      for (const int padding : {kSame, kValid}) {
        const Operand weight = filled(shape), bias = filled({shape[0]});
        check("Convolution2DTransposeBias", {x, constant(weight), constant(bias)},
              {transposed_convolution(x, weight, bias.values, padding, stride)},
              structure({padding, stride[1], stride[0]}));
      }
    }
  }
}

TEST(TfliteImageCustom, PoolsWithTheNumberOfTheCell) {
  const Pool pools[] = {{kSame, {2, 2}, {2, 2}},
                        {kValid, {2, 2}, {2, 2}},
                        {kSame, {2, 1}, {3, 3}},
                        {kValid, {1, 3}, {2, 4}},
                        {kSame, {1, 1}, {1, 1}}};
  const Operand x = filled({1, 5, 7, 3});
  for (const Pool& pool : pools) check("MaxPoolingWithArgmax2D", {x}, pooled(x, pool), pool.options());
}

TEST(TfliteImageCustom, TheFirstOfEqualCellsCounts) {
  const Pool pool{kValid, {2, 2}, {2, 2}};
  const Operand x = floats({1, 2, 2, 1}, {3, 5, 5, 5});
  check("MaxPoolingWithArgmax2D", {x}, {floats({1, 1, 1, 1}, {5}), floats({1, 1, 1, 1}, {1.1})},
        pool.options());
}

TEST(TfliteImageCustom, APoolMayHaveAnActivation) {
  const Pool pool{kValid, {2, 2}, {2, 2}};
  const Operand x = floats({1, 2, 2, 1}, {-3, -5, -7, -5});
  check("MaxPoolingWithArgmax2D", {x}, {floats({1, 1, 1, 1}, {0}), floats({1, 1, 1, 1}, {0.1})},
        pool.options(1));
}

// Each maximum returns to its position; the rest is 0.
TEST(TfliteImageCustom, UnpoolsIntoTheSameCells) {
  const Pool pools[] = {{kSame, {2, 2}, {2, 2}}, {kValid, {2, 3}, {2, 3}}};
  for (const Pool& pool : pools) {
    const Operand image = filled({1, 4, 6, 3});
    const std::vector<Operand> parts = pooled(image, pool);
    Operand y = floats(image.shape, Numbers(image.values.size(), 0));
    const int rows = parts[0].shape[1], columns = parts[0].shape[2];
    for (int i = 0; i < rows * columns * 3; ++i) {
      const int c = i % 3, ox = i / 3 % columns, oy = i / 3 / columns, k = int(parts[1].values[size_t(i)]);
      const int iy = oy * pool.stride[0] + k / pool.filter[1], ix = ox * pool.stride[1] + k % pool.filter[1];
      y.values[size_t((iy * 6 + ix) * 3 + c)] = parts[0].values[size_t(i)];
    }
    check("MaxUnpooling2D", parts, {y}, pool.options());
  }
}

TEST(TfliteImageCustom, ResamplesAtPlaces) {
  const Operand image = floats({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Operand places = floats({1, 2, 3, 2}, {0, 0, 2, 1, 0.5, 0.5, -0.5, 0, 2.75, 1, 9, -3});
  check("Resampler", {image, places}, {floats({1, 2, 3, 1}, {1, 6, 3, 0.5, 1.5, 0})}, {});
}

TEST(TfliteImageCustom, DamagedOptionsAreRefused) {
  const Operand x = filled({1, 4, 4, 1}), y = filled({1, 2, 2, 1});
  const auto refused = [&](const Pool& pool) {
    return refusal(custom_operator("MaxPoolingWithArgmax2D", {x}, {y, y}, pool.options()));
  };
  EXPECT_EQ(refused({0, {2, 2}, {2, 2}}),
            "custom MaxPoolingWithArgmax2D (operator 0) has an unknown padding.");
  EXPECT_EQ(refused({kSame, {0, 2}, {2, 2}}),
            "custom MaxPoolingWithArgmax2D (operator 0) has strides or a filter outside [1, 65536].");
  EXPECT_EQ(refused({kSame, {2, 2}, {40, 40}}),
            "custom MaxPoolingWithArgmax2D (operator 0) has a filter of more than 256 cells.");
  EXPECT_EQ(refusal(custom_operator("MaxUnpooling2D", {y, y}, {x}, Pool{kSame, {1, 1}, {2, 2}}.options())),
            "custom MaxUnpooling2D (operator 0) has windows that overlap or leave gaps.");
  EXPECT_EQ(refusal(custom_operator("Convolution2DTransposeBias", {x, y, y}, {x}, structure({kSame, 2}))),
            "custom Convolution2DTransposeBias (operator 0) has options with fewer than 3 numbers.");
}

}  // namespace nnrt::test
