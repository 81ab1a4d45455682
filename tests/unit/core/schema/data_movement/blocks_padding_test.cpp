// Blocks moved between space, depth and batch; padding and fill values.
#include "tests/unit/core/schema/data_movement/run_copy_regions.h"

#include <cmath>
#include <cstring>

namespace nnrt {
namespace {

using namespace testing_support;

TEST(BatchToSpace, IsOneRegionWithoutCrops) {
  const Shape in{12, 3, 5, 2};
  const OneNode node{
      Op::batch_to_space_nd, {floats(in)}, {as_param(8, i64s({2, 3}))}, {floats({2, 6, 15, 2})}};
  EXPECT_EQ(region_count(node), 1u);
}

TEST(SpaceToBatch, IsOneRegionWithoutPadding) {
  const Shape in{2, 6, 15, 2};
  const OneNode node{
      Op::space_to_batch_nd, {floats(in)}, {as_param(47, i64s({2, 3}))}, {floats({12, 3, 5, 2})}};
  EXPECT_EQ(region_count(node), 1u);
}

Tensor pairs(const std::vector<int32_t>& values) {
  return constant<int32_t>(DType::i32, {int64_t(values.size()) / 2, 2}, values);
}

OneNode pad(const Shape& input, const std::vector<int32_t>& amounts, int32_t mode, const Shape& output) {
  return {Op::pad, {floats(input), pairs(amounts)}, {as_param(116, i32s({mode}))}, {floats(output)}};
}

TEST(Pad, WithoutPaddingIsCopy) {
  const OneNode node = pad({3, 5}, {0, 0, 0, 0}, 0, {3, 5});
  EXPECT_EQ(node.with_view(copy_program).value().regions[0].shape, Shape{15});
}

Bytes fill_of(Tensor input, std::vector<Tensor> params) {
  Tensor output = input;
  output.shape = {5};
  const OneNode node{Op::pad, {std::move(input), pairs({1, 1})}, std::move(params), {std::move(output)}};
  return node.with_view([](const NodeView& view) { return Result<Bytes>(fill_element(view)); }).value();
}

template <typename T>
Bytes bytes(T value) {
  Bytes result(sizeof(T));
  std::memcpy(result.data(), &value, sizeof(T));
  return result;
}

TEST(FillElement, IsTheConstantInTheInputsDtype) {
  EXPECT_EQ(fill_of(floats({3}), {as_param(43, f32(-1.5f))}), bytes(-1.5f));
  EXPECT_EQ(fill_of(tensor(DType::f16, {3}), {as_param(43, f32(-1.5f))}), bytes(uint16_t{0xbe00}));
  EXPECT_EQ(fill_of(tensor(DType::i64, {3}), {as_param(43, i64s({INT64_MAX}))}), bytes(INT64_MAX));
}

TEST(FillElement, IsCastFromFloatAsCastDoes) {
  EXPECT_EQ(fill_of(tensor(DType::i32, {3}), {as_param(43, f32(-7.9f))}), bytes(int32_t{-7}));
  EXPECT_EQ(fill_of(tensor(DType::i32, {3}), {as_param(43, f32(1e20f))}), bytes(INT32_MAX));
  EXPECT_EQ(fill_of(tensor(DType::i64, {3}), {as_param(43, f32(-1e20f))}), bytes(INT64_MIN));
  EXPECT_EQ(fill_of(tensor(DType::i32, {3}), {as_param(43, f32(NAN))}), bytes(int32_t{0}));
}

TEST(FillElement, IsQuantizedWithTheInputsParameters) {
  Tensor input = quantized({3}, {0.5});
  input.quant.zero_points = {-5};
  EXPECT_EQ(fill_of(input, {}), bytes(int8_t{-5}));
  EXPECT_EQ(fill_of(input, {as_param(43, f32(1.25f))}), bytes(int8_t{-2}));
  EXPECT_EQ(fill_of(input, {as_param(43, f32(1e9f))}), bytes(int8_t{127}));
}

Bytes constant_of_shape(DType dtype, float value) {
  const OneNode node{Op::constant_of_shape, {i32s({5})}, {as_param(86, f32(value))}, {tensor(dtype, {5})}};
  return node.with_view([](const NodeView& view) { return Result<Bytes>(fill_element(view)); }).value();
}

TEST(FillElement, HasOutputDtypeForConstantOfShape) {
  EXPECT_EQ(constant_of_shape(DType::boolean, 0.25f), bytes(uint8_t{1}));
  EXPECT_EQ(constant_of_shape(DType::i8, -7.9f), bytes(int8_t{-7}));
  EXPECT_EQ(constant_of_shape(DType::u8, 300), bytes(uint8_t{255}));
  EXPECT_EQ(constant_of_shape(DType::i64, 3), bytes(int64_t{3}));
}

TEST(FillElement, IsRequantizedForAnOutputOfOtherParameters) {
  Tensor input = quantized({3}, {0.5}), output = quantized({5}, {0.25});
  input.quant.zero_points = {-5};
  output.quant.zero_points = {7};
  const OneNode node{Op::pad, {input, pairs({1, 1})}, {as_param(43, f32(1.2f))}, {output}};
  const auto fill = node.with_view([](const NodeView& view) { return Result<Bytes>(fill_element(view)); });
  EXPECT_EQ(fill.value(), bytes(int8_t{11}));  // 1.2 is rounded to 1 first
}

}  // namespace
}  // namespace nnrt
