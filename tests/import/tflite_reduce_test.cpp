#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

SetOptions beta(float value) {
  format::SoftmaxOptionsT options;
  options.beta = value;
  return with(options);
}
SetOptions gathered(int32_t axis, int32_t batch_dims = 0) {
  format::GatherOptionsT options;
  options.axis = axis;
  options.batch_dims = batch_dims;
  return with(options);
}
Operand segments(double count) { return constant(ints({}, {count})); }
SetOptions one_hot(int32_t axis) {
  format::OneHotOptionsT options;
  options.axis = axis;
  return with(options);
}

SetOptions cum_sum(bool exclusive, bool reverse) {
  format::CumsumOptionsT options;
  options.exclusive = exclusive;
  options.reverse = reverse;
  return with(options);
}

const Operand kSix = floats({2, 3}, {1, 2, 3, 4, 5, 6});

Operand list(std::vector<double> values) {
  const auto size = static_cast<int32_t>(values.size());
  return constant(ints({size}, std::move(values)));
}
Operand number(double value) { return constant(ints({}, {value})); }

class Reduce : public testing::TestWithParam<OperatorCase> {};
TEST_P(Reduce, MatchesTensorFlowLite) { check_case(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Reduction, Reduce,
    testing::Values(
        OperatorCase{"MeanOverAScalarAxis", MEAN, {}, {kSix, number(1)}, {floats({2}, {2, 5})}},
        OperatorCase{"MeanOfCodes",
                     MEAN,
                     keep_dims(true),
                     {int8({1, 2}, {2, 5}, 1, 0), list({1})},
                     {int8({1, 1}, {7}, 0.5f, 0)}},
        OperatorCase{"SumOfCodes", SUM, {}, {int8({2}, {2, 5}, 1, 0), list({0})}, {int8({}, {14}, 0.5f, 0)}},
        OperatorCase{"Max", REDUCE_MAX, {}, {kSix, list({0})}, {floats({3}, {4, 5, 6})}},
        OperatorCase{"Min", REDUCE_MIN, keep_dims(true), {kSix, list({0})}, {floats({1, 3}, {1, 2, 3})}},
        OperatorCase{"Prod", REDUCE_PROD, {}, {kSix, list({-1})}, {floats({2}, {6, 120})}},
        OperatorCase{"All", REDUCE_ALL, {}, {bools({2, 2}, {1, 0, 1, 1}), list({1})}, {bools({2}, {0, 1})}},
        OperatorCase{"Any", REDUCE_ANY, {}, {bools({2, 2}, {0, 0, 1, 0}), list({1})}, {bools({2}, {0, 1})}},
        OperatorCase{"CumSum",
                     CUMSUM,
                     cum_sum(false, false),
                     {kSix, number(1)},
                     {floats({2, 3}, {1, 3, 6, 4, 9, 15})}},
        OperatorCase{"CumSumOfIntegers",
                     CUMSUM,
                     cum_sum(true, true),
                     {ints({2, 2}, {1, 2, 3, 4}), number(0)},
                     {ints({2, 2}, {3, 4, 0, 0})}},
        OperatorCase{"ArgMax", ARG_MAX, {}, {floats({2, 2}, {1, 3, 5, 4}), number(1)}, {ints({2}, {1, 0})}},
        OperatorCase{"ArgMin", ARG_MIN, {}, {floats({2, 2}, {1, 3, 5, 4}), number(1)}, {ints({2}, {0, 1})}},
        OperatorCase{"ArgMinOfTheLowest",
                     ARG_MIN,
                     {},
                     {ints({1, 3}, {3, -2147483648.0, 5}), number(1)},
                     {ints({1}, {1})}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Norm, Reduce,
    testing::Values(
        OperatorCase{
            "Softmax", SOFTMAX, beta(1), {floats({1, 2}, {0, 1})}, {floats({1, 2}, {0.268941, 0.731059})}},
        OperatorCase{"SoftmaxWithBeta",
                     SOFTMAX,
                     beta(2),
                     {floats({1, 2}, {0, 0.5})},
                     {floats({1, 2}, {0.268941, 0.731059})}},
        OperatorCase{"SoftmaxOfCodesTo16Bits",
                     SOFTMAX,
                     beta(1),
                     {int8({1, 2}, {0, 32}, 1.0f / 32, 0)},
                     {{TensorType::INT16, {1, 2}, {-15143, 15143}, {1.0f / 65536}, {-32768}}}},
        OperatorCase{"SoftmaxOfCodesWithBeta",
                     SOFTMAX,
                     beta(2),
                     {int8({1, 2}, {0, 1}, 0.5f, 0)},
                     {int8({1, 2}, {-59, 59}, 1 / 256.0f, -128)}},
        OperatorCase{"LogSoftmax",
                     LOG_SOFTMAX,
                     {},
                     {floats({1, 2}, {0, 1})},
                     {floats({1, 2}, {-1.313262, -0.313262})}},
        OperatorCase{"L2Normalization",
                     L2_NORMALIZATION,
                     {},
                     {floats({2, 2}, {3, 4, 0, 5})},
                     {floats({2, 2}, {0.6, 0.8, 0, 1})}}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Index, Reduce,
    testing::Values(
        OperatorCase{
            "Gather", GATHER, gathered(1), {kSix, ints({2}, {2, 0})}, {floats({2, 2}, {3, 1, 6, 4})}},
        OperatorCase{"EmbeddingLookup",
                     EMBEDDING_LOOKUP,
                     {},
                     {ints({2}, {1, 1}), constant(int8({2, 2}, {1, 2, 3, 4}, 0.5f, 0))},
                     {floats({2, 2}, {1.5, 2, 1.5, 2})}},
        OperatorCase{"GatherInBatches",
                     GATHER,
                     gathered(1, 1),
                     {kSix, ints({2, 2}, {2, 0, 1, 1})},
                     {floats({2, 2}, {3, 1, 5, 5})}},
        OperatorCase{"GatherColumnsInBatches",
                     GATHER,
                     gathered(2, 1),
                     {int8({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, 1, 0), longs({2, 1}, {1, 0})},
                     {int8({2, 2, 1}, {2, 4, 5, 7}, 1, 0)}},
        OperatorCase{"SegmentSum",
                     UNSORTED_SEGMENT_SUM,
                     {},
                     {floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({4}, {1, 0, -1, 1}), segments(3)},
                     {floats({3, 2}, {3, 4, 8, 10, 0, 0})}},
        OperatorCase{"SegmentSumOfSortedSegments",
                     SEGMENT_SUM,
                     {},
                     {floats({3, 2}, {1, 2, 3, 4, 5, 6}), constant(ints({3}, {0, 0, 2}))},
                     {floats({3, 2}, {4, 6, 0, 0, 5, 6})}},
        OperatorCase{"SegmentSumOfAShapeThatTheFileHas",
                     SEGMENT_SUM,
                     {},
                     {ints({3}, {1, 2, 3}), ints({3}, {0, 1, 1})},
                     {ints({2}, {1, 5})}},
        OperatorCase{"SegmentProductOfAMatrixOfSegments",
                     UNSORTED_SEGMENT_PROD,
                     {},
                     {floats({2, 2}, {2, 3, 5, 7}), ints({2, 2}, {0, 1, 1, 0}), segments(3)},
                     {floats({3}, {14, 15, 1})}},
        OperatorCase{"SegmentMin",
                     UNSORTED_SEGMENT_MIN,
                     {},
                     {floats({3}, {3, 1, 2}), ints({3}, {0, 0, 1}), segments(2)},
                     {floats({2}, {1, 2})}},
        OperatorCase{"SegmentMax",
                     UNSORTED_SEGMENT_MAX,
                     {},
                     {ints({3}, {3, 1, 2}), ints({3}, {0, 0, 1}), segments(3)},
                     {ints({3}, {3, 2, -2147483648.0})}},
        OperatorCase{"GatherNd", GATHER_ND, {}, {kSix, ints({2, 2}, {0, 1, 1, 2})}, {floats({2}, {2, 6})}},
        OperatorCase{"OneHot",
                     ONE_HOT,
                     one_hot(-1),
                     {ints({2}, {1, 0}), number(2), constant(floats({}, {5})), constant(floats({}, {-1}))},
                     {floats({2, 2}, {-1, 5, 5, -1})}},
        OperatorCase{"TopK",
                     TOPK_V2,
                     {},
                     {floats({4}, {1, 9, 4, 7}), number(2)},
                     {floats({2}, {9, 7}), ints({2}, {1, 3})}},
        OperatorCase{"ScatterNdAddsUp",
                     SCATTER_ND,
                     {},
                     {constant(ints({3, 1}, {1, 1, 3})), floats({3}, {1, 2, 4}), constant(ints({1}, {4}))},
                     {floats({4}, {0, 3, 0, 4})}},
        OperatorCase{"ScatterNdAtIndicesOfARun",
                     SCATTER_ND,
                     {},
                     {ints({2, 1}, {2, 2}), floats({2, 2}, {1, 2, 4, 8}), constant(ints({2}, {3, 2}))},
                     {floats({3, 2}, {0, 0, 0, 0, 5, 10})}},
        OperatorCase{"WhereFindsPositions",
                     WHERE,
                     {},
                     {bools({2, 3}, {0, 1, 0, 1, 0, 1})},
                     {longs({3, 2}, {0, 1, 1, 0, 1, 2})}},
        OperatorCase{"UpdateSlice",
                     DYNAMIC_UPDATE_SLICE,
                     {},
                     {floats({3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), floats({1, 1, 2}, {-1, -2}),
                      ints({3}, {1, 1, 0})},
                     {floats({3, 2, 2}, {1, 2, 3, 4, 5, 6, -1, -2, 9, 10, 11, 12})}},
        OperatorCase{"UpdateSliceStaysWithin",
                     DYNAMIC_UPDATE_SLICE,
                     {},
                     {floats({4}, {1, 2, 3, 4}), floats({2}, {-1, -2}), ints({1}, {7})},
                     {floats({4}, {1, 2, -1, -2})}},
        OperatorCase{"UpdateOfAll",
                     DYNAMIC_UPDATE_SLICE,
                     {},
                     {floats({2}, {1, 2}), floats({2}, {-1, -2}), ints({1}, {1})},
                     {floats({2}, {-1, -2})}},
        OperatorCase{"ScatterNd",
                     SCATTER_ND,
                     {},
                     {ints({2, 1}, {2, 0}), floats({2}, {5, 6}), list({4})},
                     {floats({4}, {6, 0, 5, 0})}},
        OperatorCase{"SparseToDense",
                     SPARSE_TO_DENSE,
                     {},
                     {ints({2}, {0, 2}), list({4}), floats({}, {7}), constant(floats({}, {0}))},
                     {floats({4}, {7, 0, 7, 0})}},
        OperatorCase{"Shape", SHAPE, {}, {kSix}, {ints({2}, {2, 3})}},
        OperatorCase{"Rank", RANK, {}, {kSix}, {ints({}, {2})}},
        OperatorCase{"Fill", FILL, {}, {list({2, 2}), floats({}, {4})}, {floats({2, 2}, {4, 4, 4, 4})}},
        OperatorCase{"ZerosLike", ZEROS_LIKE, {}, {kSix}, {floats({2, 3}, {0, 0, 0, 0, 0, 0})}}),
    case_name);

}  // namespace
}  // namespace nnrt::test
