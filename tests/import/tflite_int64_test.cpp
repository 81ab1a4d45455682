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

SetOptions typed(TensorType type) {
  format::ArgMaxOptionsT options;
  options.output_type = type;
  return with(options);
}

const Operand kTwo = list({kLarge + 1, -kLarge - 3});
const Operand kFour = longs({2, 2}, {kLarge + 1, 2, -kLarge, 4});

class TfliteInt64 : public testing::TestWithParam<OperatorCase> {};

const OperatorCase kCases[] = {
    {"Add", ADD, {}, {kTwo, list({2})}, {list({kLarge + 3, -kLarge - 1})}},
    {"Sub", SUB, {}, {kTwo, list({2})}, {list({kLarge - 1, -kLarge - 5})}},
    {"Mul", MUL, {}, {kTwo, list({3})}, {list({3 * kLarge + 3, -3 * kLarge - 9})}},
    {"Maximum", MAXIMUM, {}, {kTwo, list({kLarge})}, {list({kLarge + 1, kLarge})}},
    {"Minimum", MINIMUM, {}, {kTwo, list({kLarge})}, {list({kLarge, -kLarge - 3})}},
    {"Neg", NEG, {}, {kTwo}, {list({-kLarge - 1, kLarge + 3})}},
    {"FloorDiv", FLOOR_DIV, {}, {kTwo, list({2})}, {list({kLarge / 2, -kLarge / 2 - 2})}},
    {"FloorMod", FLOOR_MOD, {}, {kTwo, list({4})}, {list({1, 1})}},
    {"Equal", EQUAL, {}, {kTwo, list({kLarge + 1, -kLarge - 2})}, {bools({2}, {1, 0})}},
    {"Less", LESS, {}, {kTwo, list({kLarge + 2, -kLarge - 3})}, {bools({2}, {1, 0})}},
    {"SelectV2", SELECT_V2, {}, {bools({2}, {1, 0}), kTwo, list({7, 8})}, {list({kLarge + 1, 8})}},
    {"Sum", SUM, keep_dims(false), {kFour, constant(ints({1}, {1}))}, {list({kLarge + 3, 4 - kLarge})}},
    {"ReduceMax",
     REDUCE_MAX,
     keep_dims(true),
     {kFour, constant(ints({1}, {0}))},
     {longs({1, 2}, {kLarge + 1, 4})}},
    {"ReduceMin",
     REDUCE_MIN,
     keep_dims(true),
     {kFour, constant(ints({1}, {1}))},
     {longs({2, 1}, {2, -kLarge})}},
    {"ReduceProd",
     REDUCE_PROD,
     keep_dims(false),
     {longs({3}, {kLarge, 3, -2}), constant(ints({1}, {0}))},
     {longs({}, {-6 * kLarge})}},
    {"Concatenation",
     CONCATENATION,
     concatenation(0),
     {kTwo, list({5})},
     {list({kLarge + 1, -kLarge - 3, 5})}},
    {"Gather", GATHER, {}, {kTwo, list({1, 0, 1})}, {list({-kLarge - 3, kLarge + 1, -kLarge - 3})}},
    {"GatherNd", GATHER_ND, {}, {kFour, longs({1, 2}, {1, 0})}, {list({-kLarge})}},
    {"ScatterNd",
     SCATTER_ND,
     {},
     {longs({2, 1}, {2, 0}), kTwo, constant(list({3}))},
     {list({-kLarge - 3, 0, kLarge + 1})}},
    {"Slice",
     SLICE,
     {},
     {kFour, constant(list({1, 0})), constant(list({1, 2}))},
     {longs({1, 2}, {-kLarge, 4})}},
    {"Tile",
     TILE,
     {},
     {kTwo, constant(list({2}))},
     {list({kLarge + 1, -kLarge - 3, kLarge + 1, -kLarge - 3})}},
    {"Transpose",
     TRANSPOSE,
     {},
     {kFour, constant(ints({2}, {1, 0}))},
     {longs({2, 2}, {kLarge + 1, -kLarge, 2, 4})}},
    {"Pad", PAD, {}, {kTwo, constant(longs({1, 2}, {1, 0}))}, {list({0, kLarge + 1, -kLarge - 3})}},
    {"ReverseV2", REVERSE_V2, {}, {kTwo, constant(ints({1}, {0}))}, {list({-kLarge - 3, kLarge + 1})}},
    {"Fill", FILL, {}, {constant(list({2})), longs({}, {kLarge + 1})}, {list({kLarge + 1, kLarge + 1})}},
    {"ExpandDims", EXPAND_DIMS, {}, {kTwo, constant(longs({1}, {0}))}, {longs({1, 2}, kTwo.values)}},
    {"Reshape", RESHAPE, {}, {kFour, constant(ints({1}, {-1}))}, {list(kFour.values)}},
    {"Cumsum", CUMSUM, {}, {kTwo, constant(ints({}, {0}))}, {list({kLarge + 1, -2})}},
    {"ArgMax",
     ARG_MAX,
     typed(TensorType::INT64),
     {floats({3}, {1, 5, 2}), constant(ints({}, {0}))},
     {longs({}, {1})}},
    {"UnsortedSegmentSum",
     UNSORTED_SEGMENT_SUM,
     {},
     {kFour, list({1, 1}), constant(ints({}, {2}))},
     {longs({2, 2}, {0, 0, 1, 6})}},
    {"UnsortedSegmentMax",
     UNSORTED_SEGMENT_MAX,
     {},
     {kTwo, ints({2}, {0, 0}), constant(ints({}, {1}))},
     {list({kLarge + 1})}},
};

}  // namespace

TEST_P(TfliteInt64, IsExact) { check_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Operators, TfliteInt64, testing::ValuesIn(kCases), case_name);

}  // namespace nnrt::test
