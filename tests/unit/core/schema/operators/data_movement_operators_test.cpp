// Shapes and errors of data movement operators with unknown or invalid dimensions or values. (Valid ones are
// tested with their regions.)
#include "tests/unit/core/graph/node_tables.h"

namespace nnrt {
namespace {

using namespace testing_support;

const Tensor kI32List = tensor(DType::i32, {2});

OneNode on(Op op, Shape input, std::vector<Tensor> values, std::vector<Tensor> params = {},
           Shape output = {-1}) {
  values.insert(values.begin(), floats(std::move(input)));
  return {op, std::move(values), std::move(params), {floats(std::move(output))}};
}

const ShapeCase kShapes[] = {
    {"ReshapeOfUnknownValues", on(Op::reshape, {3, 5}, {kI32List}), {{-1, -1}}},
    {"ReshapeCopiesUnknown", on(Op::reshape, {-1, 5, 7}, {i32s({0, -1})}), {{-1, 35}}},
    {"ReshapeLeavesUnknown", on(Op::reshape, {-1, 5, 7}, {i32s({-1, 35})}), {{-1, 35}}},
    {"ReshapeToOneElement", on(Op::reshape, {1, 1}, {constant<int32_t>(DType::i32, {}, {-1})}), {{1}}},
    {"FlattenOfUnknown", on(Op::flatten, {-1, 5, 7}, {}), {{-1, 35}}},
    {"FlattenOfAScalar", on(Op::flatten, {}, {}), {{1, 1}}},
    {"SqueezeLeavesALongListedDimension",
     on(Op::squeeze, {2, 1, 1, 2, 2}, {}, {as_param(52, i64s({0, 1}))}),
     {{2, 1, 2, 2}}},
    {"SqueezeLeavesUnlistedUnknown", on(Op::squeeze, {-1, 1}, {}, {as_param(52, i64s({1}))}), {{-1}}},
    {"UnsqueezeBetweenUnknown", on(Op::unsqueeze, {-1, 5}, {}, {as_param(77, i64s({1}))}), {{-1, 1, 5}}},
    {"ExpandAScalar", on(Op::expand_dims, {}, {i32s({-1})}), {{1}}},
    {"TransposeOfUnknown", on(Op::transpose, {-1, 5}, {i32s({1, 0})}), {{5, -1}}},
    {"SliceToAnUnknownEnd", on(Op::slice, {-1, 5}, {i32s({2, 1}), i32s({-1, -1})}), {{-1, 4}}},
    {"SliceOfUnknown", on(Op::slice, {-1, 5}, {i32s({2, 1}), i32s({3, 4})}), {{3, 4}}},
    {"StridedSliceToNothing", on(Op::strided_slice, {3, 5}, {i32s({2}), i32s({1}), i32s({1})}), {{0, 5}}},
    {"StridedSliceOfNothing",
     on(Op::strided_slice, {0, 5}, {i32s({0, 1}), i32s({2, 4}), i32s({1, 2})}),
     {{0, 2}}},
    {"TileOfNothing", on(Op::tile, {0, 2}, {i32s({3, 2})}), {{0, 4}}},
    {"BroadcastToNothing", on(Op::broadcast_to, {1, 5}, {}, {as_param(87, i64s({0, -1}))}), {{0, 5}}},
    {"ReshapeOfNothingCopies", on(Op::reshape, {2, 0}, {i32s({0, 0, 7})}), {{2, 0, 7}}},
    {"ReshapeOfNothingToWhatIsLeft", on(Op::reshape, {0, 6}, {i32s({-1, 3})}), {{0, 3}}},
    {"ReshapeOfNothingByLengths", on(Op::reshape, {0}, {i32s({3, 0})}), {{3, 0}}},
    {"ReshapeOfNothingByLengthsWhereCopiesHaveElements", on(Op::reshape, {3, 0}, {i32s({0, 7})}), {{0, 7}}},
    {"StridedSliceOfUnknown",
     on(Op::strided_slice, {-1, 5}, {i32s({0, 1}), i32s({2, 4}), i32s({1, 2})}),
     {{-1, 2}}},
    {"StridedSliceShrinksUnknown",
     on(Op::strided_slice, {-1, 5}, {i32s({0}), i32s({1}), i32s({1})}, {as_param(58, i64s({1}))}),
     {{5}}},
    {"CropOfUnknown", on(Op::crop, {-1, 5}, {i32s({2, 3})}), {{2, 3}}},
    {"TileOfUnknown", on(Op::tile, {-1, 5}, {i32s({2, 3})}), {{-1, 15}}},
    {"BroadcastOfUnknown", on(Op::broadcast_to, {-1, -1}, {}, {as_param(87, i64s({7, -1}))}), {{7, -1}}},
    {"PadOfUnknown", on(Op::pad, {-1, 5}, {constant<int32_t>(DType::i32, {2, 2}, {1, 1, 2, 3})}), {{-1, 10}}},
    {"DepthToSpaceOfUnknown",
     on(Op::depth_to_space, {-1, -1, 5, 8}, {}, {as_param(80, i64s({2}))}),
     {{-1, -1, 10, 2}}},
    {"BatchToSpaceOfUnknown",
     on(Op::batch_to_space_nd, {-1, -1, 5, 8}, {}, {as_param(8, i64s({2, 3}))}),
     {{-1, -1, 15, 8}}},
    {"ConcatOfUnknown", {Op::concat, {floats({-1, 5}), floats({2, -1})}, {}, {floats({})}}, {{-1, 5}}},
    {"ConcatFillsInTheOthers",
     {Op::concat, {floats({-1, 5}), floats({2, 3})}, {as_param(10, i64s({1}))}, {floats({})}},
     {{2, 8}}},
    {"StackOfUnknown", {Op::stack, {floats({-1, 5}), floats({2, -1})}, {}, {floats({})}}, {{2, 2, 5}}},
    {"SplitOfUnknown",
     {Op::split, {floats({-1, 5})}, {as_param(51, i64s({2, -1}))}, {floats({}), floats({-1, 5})}},
     {{2, 5}, {-1, 5}}},
};
INSTANTIATE_TEST_SUITE_P(Moves, NodeShapes, testing::ValuesIn(kShapes), kCaseName);

OneNode split(std::vector<Tensor> params) {
  return {Op::split, {floats({7, 5})}, std::move(params), {floats({-1, 5}), floats({-1, 5})}};
}

const Complaint kReshapes[] = {
    {"ReshapeBelow", on(Op::reshape, {3, 5}, {i32s({-2, 5})}), "Dimension (-2) of the shape is below -1."},
    {"ReshapeZero", on(Op::reshape, {3}, {i32s({3, 0})}),
     "The input has no dimension 1 for the 0 in the shape."},
    {"ReshapeOverflow", on(Op::reshape, {3}, {i64s({INT64_MAX, INT64_MAX})}),
     "The shape [9223372036854775807, 9223372036854775807] is too large."},
    {"SqueezeUnknown", on(Op::squeeze, {3, -1}, {}),
     "Dimension 1 is dynamic; whether it is removed is not known."},
    {"ExpandTwo", on(Op::expand_dims, {3}, {i32s({0, 1})}), "The axis has 2 elements, not 1."},
};
INSTANTIATE_TEST_SUITE_P(Reshapes, NodeComplaints, testing::ValuesIn(kReshapes), kCaseName);

const Complaint kArrangements[] = {
    {"SliceAxesMissing", on(Op::slice, {3, 5}, {i32s({1}), i32s({1})}),
     "The begin has 1 entries for 2 dimensions, and no axes are given."},
    {"StridesTooMany", on(Op::strided_slice, {3}, {i32s({0, 0}), i32s({1, 1}), i32s({1, 1})}),
     "There are more entries than dimensions (1)."},
    {"StridesTwoEllipses",
     on(Op::strided_slice, {3}, {i32s({0}), i32s({1}), i32s({1})}, {as_param(56, i64s({3}))}),
     "The ellipsis mask (3) has more than one bit."},
    {"CropBeforeTheAxis", on(Op::crop, {3, 5}, {i32s({2, 5})}, {as_param(129, i64s({1}))}),
     "Dimension 0 of the shape (2) is before the axis and not 3."},
    {"TileTooLarge", on(Op::tile, {3}, {i64s({INT64_MAX})}),
     "A dimension of 3 times 9223372036854775807 is above 2147483647."},
};
INSTANTIATE_TEST_SUITE_P(Arrangements, NodeComplaints, testing::ValuesIn(kArrangements), kCaseName);

const Complaint kParts[] = {
    {"ConcatRanks",
     {Op::concat, {floats({3}), floats({3, 1})}, {}, {floats({-1})}},
     "The rank of input 1 (2) differs from that of the first (1)."},
    {"SplitTwoOpen", split({as_param(51, i64s({-1, -1}))}),
     "Size (-1) of a part is outside [0, 2147483647]."},
    {"PadConstant",
     on(Op::pad, {3}, {constant<int32_t>(DType::i32, {1, 2}, {3, 0})}, {as_param(43, i32s({1}))}),
     "The dtype of the constant (INT32) is neither FLOAT32 nor the input's (FLOAT32)."},
};
INSTANTIATE_TEST_SUITE_P(Parts, NodeComplaints, testing::ValuesIn(kParts), kCaseName);

}  // namespace
}  // namespace nnrt
