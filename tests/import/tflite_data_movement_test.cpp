#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

SetOptions new_shape(std::vector<int32_t> shape) {
  format::ReshapeOptionsT options;
  options.new_shape = std::move(shape);
  return with(options);
}
SetOptions squeezed(std::vector<int32_t> dimensions) {
  format::SqueezeOptionsT options;
  options.squeeze_dims = std::move(dimensions);
  return with(options);
}
SetOptions packed(int32_t axis) {
  format::PackOptionsT options;
  options.axis = axis;
  return with(options);
}
SetOptions unpacked(int32_t axis) {
  format::UnpackOptionsT options;
  options.axis = axis;
  return with(options);
}
SetOptions depth_to_space(int32_t block) {
  format::DepthToSpaceOptionsT options;
  options.block_size = block;
  return with(options);
}
SetOptions mirrored(format::MirrorPadMode mode) {
  format::MirrorPadOptionsT options;
  options.mode = mode;
  return with(options);
}
SetOptions strided(int32_t ellipsis, int32_t new_axis, int32_t shrink, bool offset = false) {
  format::StridedSliceOptionsT options;
  options.ellipsis_mask = ellipsis;
  options.new_axis_mask = new_axis;
  options.shrink_axis_mask = shrink;
  options.offset = offset;
  return with(options);
}

const Operand kSix = floats({2, 3}, {1, 2, 3, 4, 5, 6});
const Operand kEight = floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

Operand list(std::vector<double> values) {
  const auto size = static_cast<int32_t>(values.size());
  return constant(ints({size}, std::move(values)));
}

class Move : public testing::TestWithParam<OperatorCase> {};
TEST_P(Move, MatchesTensorFlowLite) { check_case(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Shape, Move,
    testing::Values(
        OperatorCase{
            "ReshapeByOperand", RESHAPE, {}, {kSix, list({3, -1})}, {floats({3, 2}, {1, 2, 3, 4, 5, 6})}},
        OperatorCase{"ReshapeByOption", RESHAPE, new_shape({6}), {kSix}, {floats({6}, {1, 2, 3, 4, 5, 6})}},
        OperatorCase{"ReshapeToScalar", RESHAPE, new_shape({}), {floats({1, 1}, {7})}, {floats({}, {7})}},
        OperatorCase{
            "Squeeze", SQUEEZE, squeezed({0}), {floats({1, 2, 1}, {1, 2})}, {floats({2, 1}, {1, 2})}},
        OperatorCase{"SqueezeAll", SQUEEZE, {}, {floats({1, 2, 1}, {1, 2})}, {floats({2}, {1, 2})}},
        OperatorCase{
            "ExpandDims", EXPAND_DIMS, {}, {floats({2}, {1, 2}), list({-1})}, {floats({2, 1}, {1, 2})}},
        OperatorCase{"Transpose", TRANSPOSE, {}, {kSix, list({1, 0})}, {floats({3, 2}, {1, 4, 2, 5, 3, 6})}},
        OperatorCase{"Tile", TILE, {}, {floats({2}, {1, 2}), list({2})}, {floats({4}, {1, 2, 1, 2})}},
        OperatorCase{"BroadcastTo",
                     BROADCAST_TO,
                     {},
                     {floats({2, 1}, {1, 2}), list({2, 2})},
                     {floats({2, 2}, {1, 1, 2, 2})}},
        OperatorCase{"DepthToSpace",
                     DEPTH_TO_SPACE,
                     depth_to_space(2),
                     {floats({1, 1, 1, 4}, {1, 2, 3, 4})},
                     {floats({1, 2, 2, 1}, {1, 2, 3, 4})}},
        OperatorCase{"SpaceToBatchOfALine",
                     SPACE_TO_BATCH_ND,
                     {},
                     {floats({1, 3, 1}, {1, 2, 3}), list({2}), constant(ints({1, 2}, {0, 1}))},
                     {floats({2, 2, 1}, {1, 3, 2, 0})}},
        OperatorCase{"BatchToSpace",
                     BATCH_TO_SPACE_ND,
                     {},
                     {floats({4, 1, 1, 1}, {1, 2, 3, 4}), list({2, 2}), constant(ints({2, 2}, {0, 1, 0, 0}))},
                     {floats({1, 1, 2, 1}, {1, 2})}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Join, Move,
    testing::Values(OperatorCase{"ConcatenationRequantizes",
                                 CONCATENATION,
                                 concatenation(0),
                                 {uint8({1}, {10}, 1, 0), uint8({1}, {30}, 0.5f, 10)},
                                 {uint8({2}, {20, 20}, 0.5f, 0)}},
                    OperatorCase{"ConcatenationOfOne",
                                 CONCATENATION,
                                 concatenation(1),
                                 {kSix},
                                 {floats({2, 3}, {1, 2, 3, 4, 5, 6})}},
                    OperatorCase{"ConcatenationWithRelu",
                                 CONCATENATION,
                                 concatenation(0, format::Activation::RELU),
                                 {floats({1}, {-1}), floats({1}, {2})},
                                 {floats({2}, {0, 2})}},
                    OperatorCase{"Pack",
                                 PACK,
                                 packed(1),
                                 {floats({2}, {1, 2}), floats({2}, {3, 4})},
                                 {floats({2, 2}, {1, 3, 2, 4})}},
                    OperatorCase{
                        "PackOfOne", PACK, packed(0), {floats({2}, {1, 2})}, {floats({1, 2}, {1, 2})}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Cut, Move,
    testing::Values(
        OperatorCase{"Split",
                     SPLIT,
                     {},
                     {constant(ints({}, {0})), kSix},
                     {floats({1, 3}, {1, 2, 3}), floats({1, 3}, {4, 5, 6})}},
        OperatorCase{"SplitBySizes",
                     SPLIT_V,
                     {},
                     {kSix, list({1, 2}), constant(ints({}, {1}))},
                     {floats({2, 1}, {1, 4}), floats({2, 2}, {2, 3, 5, 6})}},
        OperatorCase{"Unpack", UNPACK, unpacked(0), {kSix}, {floats({3}, {1, 2, 3}), floats({3}, {4, 5, 6})}},
        OperatorCase{"Slice", SLICE, {}, {kSix, list({0, 1}), list({-1, 2})}, {floats({2, 2}, {2, 3, 5, 6})}},
        OperatorCase{"StridedSliceShrinks",
                     STRIDED_SLICE,
                     strided(0, 0, 1),
                     {kSix, list({1, 0}), list({2, 3}), list({1, 2})},
                     {floats({2}, {4, 6})}},
        OperatorCase{"EllipsisCoversTheRest",
                     STRIDED_SLICE,
                     strided(1, 0, 2),
                     {kEight, list({0, 1}), list({0, 2}), list({1, 1})},
                     {floats({2, 2}, {2, 4, 6, 8})}},
        OperatorCase{"EllipsisBesideANewAxis",
                     STRIDED_SLICE,
                     strided(2, 1, 0),
                     {kSix, list({0, 0}), list({0, 0}), list({1, 1})},
                     {floats({1, 2, 3}, {1, 2, 3, 4, 5, 6})}},
        OperatorCase{"EndsCountFromTheBegin",
                     STRIDED_SLICE,
                     strided(0, 0, 0, true),
                     {floats({4}, {1, 2, 3, 4}), list({1}), list({2}), list({1})},
                     {floats({2}, {2, 3})}},
        OperatorCase{"Reverse", REVERSE_V2, {}, {kSix, list({-1})}, {floats({2, 3}, {3, 2, 1, 6, 5, 4})}},
        OperatorCase{"PadOfBytesIsTheZeroPoint",
                     PAD,
                     {},
                     {uint8({1}, {9}, 1, 5), constant(ints({1, 2}, {1, 2}))},
                     {uint8({4}, {5, 9, 5, 5}, 1, 5)}},
        OperatorCase{"PadWithAValue",
                     PADV2,
                     {},
                     {floats({1}, {9}), constant(ints({1, 2}, {1, 0})), constant(floats({1}, {-3}))},
                     {floats({2}, {-3, 9})}},
        OperatorCase{"PadWithAnIntegerThatIsNoFloat",
                     PADV2,
                     {},
                     {ints({1}, {9}), constant(ints({1, 2}, {1, 0})), constant(ints({1}, {16777217}))},
                     {ints({2}, {16777217, 9})}},
        OperatorCase{"PadReflects",
                     MIRROR_PAD,
                     mirrored(format::MirrorPadMode::REFLECT),
                     {floats({3}, {1, 2, 3}), constant(ints({1, 2}, {2, 0}))},
                     {floats({5}, {3, 2, 1, 2, 3})}},
        OperatorCase{"PadRepeatsTheEdge",
                     MIRROR_PAD,
                     mirrored(format::MirrorPadMode::SYMMETRIC),
                     {floats({3}, {1, 2, 3}), constant(ints({1, 2}, {2, 0}))},
                     {floats({5}, {2, 1, 1, 2, 3})}}),
    case_name);

}  // namespace
}  // namespace nnrt::test
