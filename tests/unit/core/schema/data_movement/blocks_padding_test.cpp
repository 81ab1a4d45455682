// Blocks moved between space, depth and batch; padding and fill values.
#include "tests/unit/core/schema/data_movement/run_copy_regions.h"

#include <cmath>
#include <cstring>

namespace nnrt {
namespace {

using namespace testing_support;

Tensor nchw(const Shape& shape) { return in_format(Format::nchw, floats(shape)); }

TEST(DepthToSpace, TakesTheBlockFromTheOuterChannel) {
  const Shape in{2, 3, 5, 12};
  const OneNode node{Op::depth_to_space, {floats(in)}, {as_param(80, i64s({2}))}, {floats({2, 6, 10, 3})}};
  expect_moved(node, [&](const Index& o) {
    return at(in, {o[0], o[1] / 2, o[2] / 2, (o[1] % 2 * 2 + o[2] % 2) * 3 + o[3]});
  });
}

TEST(DepthToSpace, CrdTakesInnerChannels) {
  const Shape in{2, 12, 3, 5};
  const OneNode node{Op::depth_to_space,
                     {nchw(in)},
                     {as_param(80, i64s({2})), as_param(81, i32s({1}))},
                     {nchw({2, 3, 6, 10})}};
  expect_moved(node, [&](const Index& o) {
    return at(in, {o[0], o[1] * 4 + o[2] % 2 * 2 + o[3] % 2, o[2] / 2, o[3] / 2});
  });
}

TEST(SpaceToDepth, PutsTheBlockInTheOuterChannel) {
  const Shape in{2, 6, 9, 5};
  const OneNode node{Op::space_to_depth, {floats(in)}, {as_param(150, i64s({3}))}, {floats({2, 2, 3, 45})}};
  expect_moved(node, [&](const Index& o) {
    return at(in, {o[0], o[1] * 3 + o[3] / 15, o[2] * 3 + o[3] / 5 % 3, o[3] % 5});
  });
}

TEST(SpaceToDepth, HonoursNchw) {
  const Shape in{2, 5, 6, 9};
  const OneNode node{Op::space_to_depth, {nchw(in)}, {as_param(150, i64s({3}))}, {nchw({2, 45, 2, 3})}};
  expect_moved(node, [&](const Index& o) {
    return at(in, {o[0], o[1] % 5, o[2] * 3 + o[1] / 15, o[3] * 3 + o[1] / 5 % 3});
  });
}

// The specification's formula for [N, H, W, C].
int64_t batch_to_space(const Shape& in, const Index& o, std::array<int64_t, 2> block,
                       std::array<int64_t, 2> crop) {
  const int64_t h = o[1] + crop[0];
  const int64_t w = o[2] + crop[1];
  const int64_t images = in[0] / (block[0] * block[1]);
  const int64_t n = (h % block[0] * block[1] + w % block[1]) * images + o[0];
  return at(in, {n, h / block[0], w / block[1], o[3]});
}

TEST(BatchToSpace, IsOneRegionWithoutCrops) {
  const Shape in{12, 3, 5, 2};
  const OneNode node{
      Op::batch_to_space_nd, {floats(in)}, {as_param(8, i64s({2, 3}))}, {floats({2, 6, 15, 2})}};
  expect_moved(node, [&](const Index& o) { return batch_to_space(in, o, {2, 3}, {0, 0}); });
  EXPECT_EQ(region_count(node), 1u);
}

TEST(BatchToSpace, CropsEverySide) {
  const Shape in{12, 3, 5, 2};
  const OneNode node{Op::batch_to_space_nd,
                     {floats(in)},
                     {as_param(8, i64s({2, 3})), as_param(9, i64s({1, 2, 4, 1}))},
                     {floats({2, 3, 10, 2})}};
  expect_moved(node, [&](const Index& o) { return batch_to_space(in, o, {2, 3}, {1, 4}); });
}

// The specification's formula for [N, H, W, C]; kFill in the padding.
int64_t space_to_batch(const Shape& in, const Index& o, std::array<int64_t, 2> block,
                       std::array<int64_t, 2> before) {
  const int64_t position = o[0] / in[0];
  const int64_t h = o[1] * block[0] + position / block[1] - before[0];
  const int64_t w = o[2] * block[1] + position % block[1] - before[1];
  if (h < 0 || h >= in[1] || w < 0 || w >= in[2]) return kFill;
  return at(in, {o[0] % in[0], h, w, o[3]});
}

Tensor paddings(const std::vector<int64_t>& values) {
  return as_param(48, constant<int64_t>(DType::i64, {2, 2}, values));
}

TEST(SpaceToBatch, IsOneRegionWithoutPadding) {
  const Shape in{2, 6, 15, 2};
  const OneNode node{
      Op::space_to_batch_nd, {floats(in)}, {as_param(47, i64s({2, 3}))}, {floats({12, 3, 5, 2})}};
  expect_moved(node, [&](const Index& o) { return space_to_batch(in, o, {2, 3}, {0, 0}); });
  EXPECT_EQ(region_count(node), 1u);
}

TEST(SpaceToBatch, LeavesThePaddingToTheFill) {
  const Shape in{2, 3, 5, 2};
  const OneNode node{Op::space_to_batch_nd,
                     {floats(in)},
                     {as_param(47, i64s({2, 3})), paddings({3, 0, 1, 3})},
                     {floats({12, 3, 3, 2})}};
  expect_moved(node, [&](const Index& o) { return space_to_batch(in, o, {2, 3}, {3, 1}); });
}

TEST(SpaceToBatch, HonoursNchw) {
  const Shape in{2, 7, 3, 5};
  const OneNode node{Op::space_to_batch_nd,
                     {nchw(in)},
                     {as_param(47, i64s({2, 3})), paddings({0, 1, 1, 0})},
                     {nchw({12, 7, 2, 2})}};
  expect_moved(node, [&](const Index& o) -> int64_t {
    const int64_t h = o[2] * 2 + o[0] / 2 / 3;
    const int64_t w = o[3] * 3 + o[0] / 2 % 3 - 1;
    return h >= 3 || w < 0 ? kFill : at(in, {o[0] % 2, o[1], h, w});
  });
}

Tensor pairs(const std::vector<int32_t>& values) {
  return constant<int32_t>(DType::i32, {int64_t(values.size()) / 2, 2}, values);
}

OneNode pad(const Shape& input, const std::vector<int32_t>& amounts, int32_t mode, const Shape& output) {
  return {Op::pad, {floats(input), pairs(amounts)}, {as_param(116, i32s({mode}))}, {floats(output)}};
}

TEST(Pad, LeavesTheAddedCellsToTheFill) {
  expect_moved(pad({3, 5}, {1, 0, 2, 3}, 0, {4, 10}), [](const Index& o) {
    return o[0] < 1 || o[1] < 2 || o[1] >= 7 ? kFill : at({3, 5}, {o[0] - 1, o[1] - 2});
  });
}

TEST(Pad, OfNothingIsACopy) {
  const OneNode node = pad({3, 5}, {0, 0, 0, 0}, 0, {3, 5});
  expect_moved(node, [](const Index& o) { return at({3, 5}, o); });
  EXPECT_EQ(node.with_view(copy_program).value().regions[0].shape, Shape{15});
}

int64_t mirrored(int64_t i, int64_t length, int64_t edge) {
  if (i < 0) return -i - 1 + edge;
  return i >= length ? 2 * length - 1 - i - edge : i;
}

TEST(Pad, ReflectsWithoutTheEdge) {
  expect_moved(pad({3, 5}, {2, 1, 4, 3}, 1, {6, 12}), [](const Index& o) {
    return at({3, 5}, {mirrored(o[0] - 2, 3, 1), mirrored(o[1] - 4, 5, 1)});
  });
}

TEST(Pad, MirrorsWithTheEdge) {
  expect_moved(pad({3, 5}, {3, 2, 0, 5}, 2, {8, 10}), [](const Index& o) {
    return at({3, 5}, {mirrored(o[0] - 3, 3, 0), mirrored(o[1], 5, 0)});
  });
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

TEST(FillElement, IsZeroBitsByDefault) { EXPECT_EQ(fill_of(tensor(DType::f16, {3}), {}), Bytes(2)); }

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

TEST(FillElement, IgnoresTheParametersOfPlainNumbers) {
  Tensor input = floats({3});
  input.quant = {{0.5}, {9}};
  EXPECT_EQ(fill_of(input, {}), bytes(0.0f));
  EXPECT_EQ(fill_of(input, {as_param(43, f32(1.25f))}), bytes(1.25f));
}

TEST(FillElement, OfPaddedBlocksIsTheZeroPoint) {
  Tensor input = quantized({1, 3, 5, 2}, {0.5});
  input.quant.zero_points = {9};
  Tensor output = input;
  output.shape = {4, 2, 3, 2};
  const OneNode node{
      Op::space_to_batch_nd, {input}, {as_param(47, i64s({2, 2})), paddings({1, 0, 0, 1})}, {output}};
  const auto fill = node.with_view([](const NodeView& view) { return Result<Bytes>(fill_element(view)); });
  EXPECT_EQ(fill.value(), bytes(int8_t{9}));
}

}  // namespace
}  // namespace nnrt
