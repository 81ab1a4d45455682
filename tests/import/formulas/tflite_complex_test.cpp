// Complex numbers between RFFT2D and real results.
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

Operand complex(Shape shape) { return {TensorType::COMPLEX64, std::move(shape), {}}; }

// A transform `code` of x over [height, width]; the result is [..., bins].
Bytes transform(BuiltinOperator code, const Operand& x, const Shape& lengths) {
  TfliteWriter writer;
  Shape shape = x.shape;
  shape[shape.size() - 2] = lengths[0];
  shape.back() = lengths[1] / 2 + 1;
  const int32_t input = writer.input(x), made = writer.tensor(complex(shape)),
                y = writer.tensor(floats(shape, {}));
  const Operand size = ints({2}, {double(lengths[0]), double(lengths[1])});
  writer.add(RFFT2D, {input, writer.tensor(constant(size))}, {made});
  writer.add(code, {made}, {y});
  writer.output(y);
  return writer.finish();
}

std::vector<double> numbers(size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::sin(1.7 * double(i * i + 1)) * 3;
  return values;
}

// Reference DFT for one image.
std::vector<std::complex<double>> expected(const std::vector<double>& x, const Shape& shape,
                                           const Shape& lengths) {
  std::vector<std::complex<double>> result;
  for (int32_t u = 0; u < lengths[0]; ++u) {
    for (int32_t v = 0; v <= lengths[1] / 2; ++v) {
      std::complex<double> sum = 0;
      for (int32_t row = 0; row < std::min(shape[0], lengths[0]); ++row) {
        for (int32_t column = 0; column < std::min(shape[1], lengths[1]); ++column) {
          const double turns = double(u) * row / lengths[0] + double(v) * column / lengths[1];
          sum += x[size_t(row * shape[1] + column)] * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
      }
      result.push_back(sum);
    }
  }
  return result;
}

void check_transform(const Shape& image, const Shape& lengths) {
  const size_t count = size_t(image[0]) * size_t(image[1]);
  const Operand x = floats({1, image[0], image[1]}, numbers(count));
  const auto want = expected(x.values, image, lengths);
  const Operand y = floats({1, lengths[0], lengths[1] / 2 + 1}, {});
  const auto real = run(transform(REAL, x, lengths), {x}, {y}),
             imaginary = run(transform(IMAG, x, lengths), {x}, {y}),
             size = run(transform(COMPLEX_ABS, x, lengths), {x}, {y});
  ASSERT_TRUE(real.size() == 1 && imaginary.size() == 1 && size.size() == 1);
  ASSERT_EQ(real[0].size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(real[0][i], want[i].real(), 1e-4) << i;
    EXPECT_NEAR(imaginary[0][i], want[i].imag(), 1e-4) << i;
    EXPECT_NEAR(size[0][i], std::abs(want[i]), 1e-4) << i;
  }
}

}  // namespace

TEST(TfliteComplex, TransformsRows) { check_transform({1, 8}, {1, 8}); }
TEST(TfliteComplex, TransformsImages) { check_transform({4, 8}, {4, 8}); }
TEST(TfliteComplex, TransformsNonPowerOfTwoLengths) { check_transform({3, 5}, {3, 5}); }
TEST(TfliteComplex, TruncatesToFftLength) { check_transform({3, 9}, {2, 4}); }
TEST(TfliteComplex, FillsUpWithZeros) { check_transform({2, 3}, {4, 8}); }
TEST(TfliteComplex, TransformsOneElement) { check_transform({2, 3}, {1, 1}); }

TEST(TfliteComplex, TransformsEachImageOfABatch) {
  const Operand x = floats({2, 2, 1, 4}, numbers(16)), y = floats({2, 2, 1, 3}, {});
  const auto got = run(transform(COMPLEX_ABS, x, {1, 4}), {x}, {y});
  ASSERT_EQ(got.size(), 1u);
  for (size_t line = 0; line < 4; ++line) {
    const auto begin = x.values.begin() + static_cast<std::ptrdiff_t>(4 * line);
    const auto want = expected({begin, begin + 4}, {1, 4}, {1, 4});
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[0][line * 3 + i], std::abs(want[i]), 1e-5);
  }
}

TEST(TfliteComplex, LengthsNeitherOverflowNorVanish) {
  for (const double value : {0.0, 2e38, 1e-25, double(std::numeric_limits<float>::infinity())}) {
    // The transform of [a, a, 0, 0] at a quarter turn is a - i a.
    const Operand x = floats({1, 4}, {value / 2, value / 2, 0, 0});
    const auto got = run(transform(COMPLEX_ABS, x, {1, 4}), {x}, {floats({1, 3}, {})});
    ASSERT_EQ(got.size(), 1u);
    if (std::isfinite(value)) {
      EXPECT_NEAR(got[0][1], value / std::numbers::sqrt2, value * 1e-6);
      EXPECT_NEAR(got[0][0], value, value * 1e-6);
    } else {
      EXPECT_FALSE(std::isfinite(got[0][0]));
    }
  }
}

// As written for an STFT: frames, the transform, and a dimension removed before the length.
TEST(TfliteComplex, MovesBothPartsOfComplexNumbers) {
  TfliteWriter writer;
  const Operand x = floats({2, 1, 4}, numbers(8)), y = floats({3, 2}, {});
  const int32_t input = writer.input(x), made = writer.tensor(complex({2, 1, 3})),
                flat = writer.tensor(complex({2, 3})), transposed = writer.tensor(complex({3, 2})),
                result = writer.tensor(y);
  writer.add(RFFT2D, {input, writer.tensor(constant(ints({2}, {1, 4})))}, {made});
  writer.add(RESHAPE, {made, writer.tensor(constant(ints({2}, {2, 3})))}, {flat});
  writer.add(TRANSPOSE, {flat, writer.tensor(constant(ints({2}, {1, 0})))}, {transposed});
  writer.add(IMAG, {transposed}, {result});
  writer.output(result);
  const auto got = run(writer.finish(), {x}, {y});
  ASSERT_EQ(got.size(), 1u);
  for (size_t line = 0; line < 2; ++line) {
    const auto begin = x.values.begin() + static_cast<std::ptrdiff_t>(4 * line);
    const auto want = expected({begin, begin + 4}, {1, 4}, {1, 4});
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[0][i * 2 + line], want[i].imag(), 1e-5);
  }
}

TEST(TfliteComplex, ComplexNumbersStayInside) {
  const Operand size = constant(ints({2}, {1, 4})), x = floats({1, 4}, {});
  EXPECT_EQ(refusal(one_operator(RFFT2D, {}, {x, size}, {complex({1, 3})})),
            "Output 2 has complex numbers, which OH_NN does not support.");
  EXPECT_EQ(refusal(one_operator(COMPLEX_ABS, {}, {complex({2})}, {floats({2}, {})})),
            "Input 0 has complex numbers, which OH_NN does not support.");
  EXPECT_EQ(refusal(one_operator(RFFT2D, {}, {x, size}, {floats({1, 3}, {})})),
            "RFFT2D (operator 0) makes no complex numbers.");
  EXPECT_EQ(refusal(one_operator(COMPLEX_ABS, {}, {floats({2}, {})}, {floats({2}, {})})),
            "COMPLEX_ABS (operator 0) needs complex numbers.");
  EXPECT_EQ(refusal(transform(NEG, floats({1, 4}, {}), {1, 4})),
            "NEG (operator 1) computes with complex numbers.");
  EXPECT_EQ(refusal(transform(SQUEEZE, floats({1, 4}, {}), {1, 4})),
            "SQUEEZE (operator 1) moves complex numbers to real ones.");
}

TEST(TfliteComplex, LengthsAreBounded) {
  const Operand x = floats({1, 4}, {});
  EXPECT_EQ(refusal(transform(REAL, x, {1, 8192})),
            "RFFT2D (operator 0) transforms 1 x 8192 elements, for which a matrix product is too large.");
  const Operand size = constant(ints({2}, {0, 4}));
  EXPECT_EQ(refusal(one_operator(RFFT2D, {}, {x, size}, {complex({1, 3})})),
            "RFFT2D (operator 0) transforms a length (0) outside [1, 4194304].");
}

}  // namespace nnrt::test
