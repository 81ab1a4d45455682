#include "backends/cpu/base/element.h"

#include "backends/cpu/base/strided_walk.h"

#include <gtest/gtest.h>

#include <limits>

namespace nnrt::cpu {
namespace {

TEST(Quantize, RoundsFp16AwayFromZero) {
  const Affine affine{0.5, 0};
  EXPECT_EQ(quantize<int8_t>(0.25, affine), 1);
  EXPECT_EQ(quantize<int8_t>(-0.25, affine), -1);
  EXPECT_EQ(quantize<int8_t>(0.75, affine), 2);
  EXPECT_EQ(quantize<int8_t>(0.2499999999999999, affine), 0);
}

TEST(Quantize, RoundsTiesToEven) {
  const Affine even{0.5, 3, true};
  const std::vector<double> floats{-1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 63.75};
  const std::vector<int> steps{-2, -2, 0, 0, 2, 2, 124};
  for (size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(quantize<int8_t>(floats[i], even), std::min(steps[i] + 3, 127)) << floats[i];
    EXPECT_EQ(quantize_float<int8_t>(float(floats[i]), even), std::min(steps[i] + 3, 127)) << floats[i];
  }
}

// 0.35f / 0.1f is below 3.5, but rounds to 3.5 as a float.
TEST(Quantize, TakesTheQuotientOfFloatsAsAFloat) {
  EXPECT_EQ(quantize_float<int8_t>(0.35f, {double(0.1f), 0}), 4);
  EXPECT_EQ(quantize_float<int8_t>(0.25f, {double(0.1f), 0, true}), 2);
}

TEST(Quantize, RoundsBeforeTheZeroPointIsAdded) { EXPECT_EQ(quantize<int8_t>(-0.5, {1.0, 5}), 4); }

TEST(Quantize, ClampsToTheQuantizedValuesOfItsType) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantize<int8_t>(infinity, {0.1, -100}), 127);
  EXPECT_EQ(quantize<int8_t>(-1e300, {0.1, 100}), -128);
  EXPECT_EQ(quantize<uint8_t>(infinity, {0.1, 3}), 255);
  EXPECT_EQ(quantize<uint8_t>(-5.0, {0.1, 3}), 0);
}

TEST(FloatInput, BorrowsFloat32) {
  Tensor tensor;
  tensor.dtype = DType::f32;
  const std::vector<float> values{1, 2, 3};
  const FloatInput input(tensor, reinterpret_cast<const std::byte*>(values.data()), 3, ThreadPool::shared());
  EXPECT_EQ(input.data(), values.data());
}

TEST(FloatInput, HasPerChannelScales) {
  Tensor tensor;
  tensor.dtype = DType::i8;
  tensor.quant = {{0.5, 10.0}, {0, 1}};
  const std::vector<int8_t> quantized{1, -2, 3, 4};
  const FloatInput input(tensor, reinterpret_cast<const std::byte*>(quantized.data()), 4,
                         ThreadPool::shared());
  EXPECT_EQ(std::vector<float>(input.values().begin(), input.values().end()),
            (std::vector<float>{0.5f, -1.0f, 20.0f, 30.0f}));
}

TEST(ApplyActivation, ClampsAsTheApiSays) {
  EXPECT_EQ(apply_activation(Activation::none, -3.0f), -3.0f);
  EXPECT_EQ(apply_activation(Activation::relu, -3.0f), 0.0f);
  EXPECT_EQ(apply_activation(Activation::relu, 9), 9);
  EXPECT_EQ(apply_activation(Activation::relu6, 9.0f), 6.0f);
}

TEST(Walk, StartsAndStopsInsideARow) {
  const Shape shape{2, 2, 3};
  const std::vector<Strides> strides{{0, 3, 1}};
  std::vector<int64_t> positions, offsets, lengths;
  walk<1>(shape, strides, 2, 8, [&](int64_t position, const std::array<int64_t, 1>& at, int64_t length) {
    positions.push_back(position);
    offsets.push_back(at[0]);
    lengths.push_back(length);
  });
  EXPECT_EQ(positions, (std::vector<int64_t>{2, 3, 6}));
  EXPECT_EQ(offsets, (std::vector<int64_t>{2, 3, 0}));
  EXPECT_EQ(lengths, (std::vector<int64_t>{1, 3, 2}));
}

}  // namespace
}  // namespace nnrt::cpu
