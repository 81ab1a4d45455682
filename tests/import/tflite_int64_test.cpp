// INT64 in TensorFlow Lite files: indices, identifiers and their sums must be exact beyond 32 bits.
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

constexpr double kLarge = 1099511627776;  // 2^40

Operand list(std::vector<double> values) {
  const auto size = static_cast<int32_t>(values.size());
  return longs({size}, std::move(values));
}

SetOptions typed(TensorType type) { return with(&format::ArgMaxOptionsT::output_type, type); }

const Operand kTwo = list({kLarge + 1, -kLarge - 3});
const Operand kFour = longs({2, 2}, {kLarge + 1, 2, -kLarge, 4});

class TfliteInt64 : public testing::TestWithParam<OperatorCase> {};

const OperatorCase kCases[] = {
    op_case("Add", ADD, {kTwo, list({2})}, {list({kLarge + 3, -kLarge - 1})}),
    op_case("Sub", SUB, {kTwo, list({2})}, {list({kLarge - 1, -kLarge - 5})}),
    op_case("Mul", MUL, {kTwo, list({3})}, {list({3 * kLarge + 3, -3 * kLarge - 9})}),
    op_case("Maximum", MAXIMUM, {kTwo, list({kLarge})}, {list({kLarge + 1, kLarge})}),
    op_case("Minimum", MINIMUM, {kTwo, list({kLarge})}, {list({kLarge, -kLarge - 3})}),
    op_case("Neg", NEG, {kTwo}, {list({-kLarge - 1, kLarge + 3})}),
    op_case("FloorDiv", FLOOR_DIV, {kTwo, list({2})}, {list({kLarge / 2, -kLarge / 2 - 2})}),
    op_case("FloorMod", FLOOR_MOD, {kTwo, list({4})}, {list({1, 1})}),
    op_case("Equal", EQUAL, {kTwo, list({kLarge + 1, -kLarge - 2})}, {bools({2}, {1, 0})}),
    op_case("Less", LESS, {kTwo, list({kLarge + 2, -kLarge - 3})}, {bools({2}, {1, 0})}),
    op_case("SelectV2", SELECT_V2, {bools({2}, {1, 0}), kTwo, list({7, 8})}, {list({kLarge + 1, 8})}),
    op_case("Sum", SUM, {kFour, constant(ints({1}, {1}))}, {list({kLarge + 3, 4 - kLarge})},
            keep_dims(false)),
    op_case("ReduceMax", REDUCE_MAX, {kFour, constant(ints({1}, {0}))}, {longs({1, 2}, {kLarge + 1, 4})},
            keep_dims(true)),
    op_case("ReduceMin", REDUCE_MIN, {kFour, constant(ints({1}, {1}))}, {longs({2, 1}, {2, -kLarge})},
            keep_dims(true)),
    op_case("ReduceProd", REDUCE_PROD, {longs({3}, {kLarge, 3, -2}), constant(ints({1}, {0}))},
            {longs({}, {-6 * kLarge})}, keep_dims(false)),
    op_case("Concatenation", CONCATENATION, {kTwo, list({5})}, {list({kLarge + 1, -kLarge - 3, 5})},
            concatenation(0)),
    op_case("Gather", GATHER, {kTwo, list({1, 0, 1})}, {list({-kLarge - 3, kLarge + 1, -kLarge - 3})}),
    op_case("GatherNd", GATHER_ND, {kFour, longs({1, 2}, {1, 0})}, {list({-kLarge})}),
    op_case("ScatterNd", SCATTER_ND, {longs({2, 1}, {2, 0}), kTwo, constant(list({3}))},
            {list({-kLarge - 3, 0, kLarge + 1})}),
    op_case("Slice", SLICE, {kFour, constant(list({1, 0})), constant(list({1, 2}))},
            {longs({1, 2}, {-kLarge, 4})}),
    op_case("Tile", TILE, {kTwo, constant(list({2}))},
            {list({kLarge + 1, -kLarge - 3, kLarge + 1, -kLarge - 3})}),
    op_case("Transpose", TRANSPOSE, {kFour, constant(ints({2}, {1, 0}))},
            {longs({2, 2}, {kLarge + 1, -kLarge, 2, 4})}),
    op_case("Pad", PAD, {kTwo, constant(longs({1, 2}, {1, 0}))}, {list({0, kLarge + 1, -kLarge - 3})}),
    op_case("ReverseV2", REVERSE_V2, {kTwo, constant(ints({1}, {0}))}, {list({-kLarge - 3, kLarge + 1})}),
    op_case("Fill", FILL, {constant(list({2})), longs({}, {kLarge + 1})}, {list({kLarge + 1, kLarge + 1})}),
    op_case("ExpandDims", EXPAND_DIMS, {kTwo, constant(longs({1}, {0}))}, {longs({1, 2}, kTwo.values)}),
    op_case("Reshape", RESHAPE, {kFour, constant(ints({1}, {-1}))}, {list(kFour.values)}),
    op_case("Cumsum", CUMSUM, {kTwo, constant(ints({}, {0}))}, {list({kLarge + 1, -2})}),
    op_case("ArgMax", ARG_MAX, {floats({3}, {1, 5, 2}), constant(ints({}, {0}))}, {longs({}, {1})},
            typed(TensorType::INT64)),
    op_case("UnsortedSegmentSum", UNSORTED_SEGMENT_SUM, {kFour, list({1, 1}), constant(ints({}, {2}))},
            {longs({2, 2}, {0, 0, 1, 6})}),
    op_case("UnsortedSegmentMax", UNSORTED_SEGMENT_MAX, {kTwo, ints({2}, {0, 0}), constant(ints({}, {1}))},
            {list({kLarge + 1})}),
};

}  // namespace

TEST_P(TfliteInt64, IsExact) { check_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Operators, TfliteInt64, testing::ValuesIn(kCases), case_name);

}  // namespace nnrt::test
