#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

SetOptions new_shape(std::vector<int32_t> shape) { return with(&format::ReshapeOptionsT::new_shape, shape); }
SetOptions squeezed(std::vector<int32_t> dimensions) {
  return with(&format::SqueezeOptionsT::squeeze_dims, dimensions);
}
SetOptions packed(int32_t axis) { return with(&format::PackOptionsT::axis, axis); }
SetOptions unpacked(int32_t axis) { return with(&format::UnpackOptionsT::axis, axis); }
SetOptions depth_to_space(int32_t block) { return with(&format::DepthToSpaceOptionsT::block_size, block); }
SetOptions mirrored(format::MirrorPadMode mode) { return with(&format::MirrorPadOptionsT::mode, mode); }
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
        op_case("ReshapeByOperand", RESHAPE, {kSix, list({3, -1})}, {floats({3, 2}, {1, 2, 3, 4, 5, 6})}),
        op_case("ReshapeByOption", RESHAPE, {kSix}, {floats({6}, {1, 2, 3, 4, 5, 6})}, new_shape({6})),
        op_case("ReshapeToScalar", RESHAPE, {floats({1, 1}, {7})}, {floats({}, {7})}, new_shape({})),
        op_case("Squeeze", SQUEEZE, {floats({1, 2, 1}, {1, 2})}, {floats({2, 1}, {1, 2})}, squeezed({0})),
        op_case("SqueezeAll", SQUEEZE, {floats({1, 2, 1}, {1, 2})}, {floats({2}, {1, 2})}),
        op_case("ExpandDims", EXPAND_DIMS, {floats({2}, {1, 2}), list({-1})}, {floats({2, 1}, {1, 2})}),
        op_case("Transpose", TRANSPOSE, {kSix, list({1, 0})}, {floats({3, 2}, {1, 4, 2, 5, 3, 6})}),
        op_case("Tile", TILE, {floats({2}, {1, 2}), list({2})}, {floats({4}, {1, 2, 1, 2})}),
        op_case("BroadcastTo", BROADCAST_TO, {floats({2, 1}, {1, 2}), list({2, 2})},
                {floats({2, 2}, {1, 1, 2, 2})}),
        op_case("DepthToSpace", DEPTH_TO_SPACE, {floats({1, 1, 1, 4}, {1, 2, 3, 4})},
                {floats({1, 2, 2, 1}, {1, 2, 3, 4})}, depth_to_space(2)),
        op_case("SpaceToBatchOfALine", SPACE_TO_BATCH_ND,
                {floats({1, 3, 1}, {1, 2, 3}), list({2}), constant(ints({1, 2}, {0, 1}))},
                {floats({2, 2, 1}, {1, 3, 2, 0})}),
        op_case("BatchToSpace", BATCH_TO_SPACE_ND,
                {floats({4, 1, 1, 1}, {1, 2, 3, 4}), list({2, 2}), constant(ints({2, 2}, {0, 1, 0, 0}))},
                {floats({1, 1, 2, 1}, {1, 2})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Join, Move,
    testing::Values(op_case("ConcatenationRequantizes", CONCATENATION,
                            {uint8({1}, {10}, 1, 0), uint8({1}, {30}, 0.5f, 10)},
                            {uint8({2}, {20, 20}, 0.5f, 0)}, concatenation(0)),
                    op_case("ConcatenationOfOne", CONCATENATION, {kSix}, {floats({2, 3}, {1, 2, 3, 4, 5, 6})},
                            concatenation(1)),
                    op_case("ConcatenationWithRelu", CONCATENATION, {floats({1}, {-1}), floats({1}, {2})},
                            {floats({2}, {0, 2})}, concatenation(0, format::Activation::RELU)),
                    op_case("Pack", PACK, {floats({2}, {1, 2}), floats({2}, {3, 4})},
                            {floats({2, 2}, {1, 3, 2, 4})}, packed(1)),
                    op_case("PackOfOne", PACK, {floats({2}, {1, 2})}, {floats({1, 2}, {1, 2})}, packed(0))),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Cut, Move,
    testing::Values(
        op_case("Split", SPLIT, {constant(ints({}, {0})), kSix},
                {floats({1, 3}, {1, 2, 3}), floats({1, 3}, {4, 5, 6})}),
        op_case("SplitBySizes", SPLIT_V, {kSix, list({1, 2}), constant(ints({}, {1}))},
                {floats({2, 1}, {1, 4}), floats({2, 2}, {2, 3, 5, 6})}),
        op_case("Unpack", UNPACK, {kSix}, {floats({3}, {1, 2, 3}), floats({3}, {4, 5, 6})}, unpacked(0)),
        op_case("Slice", SLICE, {kSix, list({0, 1}), list({-1, 2})}, {floats({2, 2}, {2, 3, 5, 6})}),
        op_case("StridedSliceShrinks", STRIDED_SLICE, {kSix, list({1, 0}), list({2, 3}), list({1, 2})},
                {floats({2}, {4, 6})}, strided(0, 0, 1)),
        op_case("EllipsisCoversTheRest", STRIDED_SLICE, {kEight, list({0, 1}), list({0, 2}), list({1, 1})},
                {floats({2, 2}, {2, 4, 6, 8})}, strided(1, 0, 2)),
        op_case("EllipsisBesideANewAxis", STRIDED_SLICE, {kSix, list({0, 0}), list({0, 0}), list({1, 1})},
                {floats({1, 2, 3}, {1, 2, 3, 4, 5, 6})}, strided(2, 1, 0)),
        op_case("EndsCountFromTheBegin", STRIDED_SLICE,
                {floats({4}, {1, 2, 3, 4}), list({1}), list({2}), list({1})}, {floats({2}, {2, 3})},
                strided(0, 0, 0, true)),
        op_case("Reverse", REVERSE_V2, {kSix, list({-1})}, {floats({2, 3}, {3, 2, 1, 6, 5, 4})}),
        op_case("PadOfBytesIsTheZeroPoint", PAD, {uint8({1}, {9}, 1, 5), constant(ints({1, 2}, {1, 2}))},
                {uint8({4}, {5, 9, 5, 5}, 1, 5)}),
        op_case("PadWithAValue", PADV2,
                {floats({1}, {9}), constant(ints({1, 2}, {1, 0})), constant(floats({1}, {-3}))},
                {floats({2}, {-3, 9})}),
        op_case("PadWithAnIntegerThatIsNoFloat", PADV2,
                {ints({1}, {9}), constant(ints({1, 2}, {1, 0})), constant(ints({1}, {16777217}))},
                {ints({2}, {16777217, 9})}),
        op_case("PadReflects", MIRROR_PAD, {floats({3}, {1, 2, 3}), constant(ints({1, 2}, {2, 0}))},
                {floats({5}, {3, 2, 1, 2, 3})}, mirrored(format::MirrorPadMode::REFLECT)),
        op_case("PadRepeatsTheEdge", MIRROR_PAD, {floats({3}, {1, 2, 3}), constant(ints({1, 2}, {2, 0}))},
                {floats({5}, {2, 1, 1, 2, 3})}, mirrored(format::MirrorPadMode::SYMMETRIC))),
    case_name);

}  // namespace
}  // namespace nnrt::test
