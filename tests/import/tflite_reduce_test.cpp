#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

SetOptions beta(float value) { return with(&format::SoftmaxOptionsT::beta, value); }
SetOptions gathered(int32_t axis, int32_t batch_dims = 0) {
  format::GatherOptionsT options;
  options.axis = axis;
  options.batch_dims = batch_dims;
  return with(options);
}
Operand segments(double count) { return constant(ints({}, {count})); }
SetOptions one_hot(int32_t axis) { return with(&format::OneHotOptionsT::axis, axis); }

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
        op_case("MeanOverAScalarAxis", MEAN, {kSix, number(1)}, {floats({2}, {2, 5})}),
        op_case("MeanOfCodes", MEAN, {int8({1, 2}, {2, 5}, 1, 0), list({1})}, {int8({1, 1}, {7}, 0.5f, 0)},
                keep_dims(true)),
        op_case("SumOfCodes", SUM, {int8({2}, {2, 5}, 1, 0), list({0})}, {int8({}, {14}, 0.5f, 0)}),
        op_case("Max", REDUCE_MAX, {kSix, list({0})}, {floats({3}, {4, 5, 6})}),
        op_case("Min", REDUCE_MIN, {kSix, list({0})}, {floats({1, 3}, {1, 2, 3})}, keep_dims(true)),
        op_case("Prod", REDUCE_PROD, {kSix, list({-1})}, {floats({2}, {6, 120})}),
        op_case("All", REDUCE_ALL, {bools({2, 2}, {1, 0, 1, 1}), list({1})}, {bools({2}, {0, 1})}),
        op_case("Any", REDUCE_ANY, {bools({2, 2}, {0, 0, 1, 0}), list({1})}, {bools({2}, {0, 1})}),
        op_case("CumSum", CUMSUM, {kSix, number(1)}, {floats({2, 3}, {1, 3, 6, 4, 9, 15})},
                cum_sum(false, false)),
        op_case("CumSumOfIntegers", CUMSUM, {ints({2, 2}, {1, 2, 3, 4}), number(0)},
                {ints({2, 2}, {3, 4, 0, 0})}, cum_sum(true, true)),
        op_case("ArgMax", ARG_MAX, {floats({2, 2}, {1, 3, 5, 4}), number(1)}, {ints({2}, {1, 0})}),
        op_case("ArgMin", ARG_MIN, {floats({2, 2}, {1, 3, 5, 4}), number(1)}, {ints({2}, {0, 1})}),
        op_case("ArgMinOfTheLowest", ARG_MIN, {ints({1, 3}, {3, -2147483648.0, 5}), number(1)},
                {ints({1}, {1})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Norm, Reduce,
    testing::Values(op_case("Softmax", SOFTMAX, {floats({1, 2}, {0, 1})},
                            {floats({1, 2}, {0.268941, 0.731059})}, beta(1)),
                    op_case("SoftmaxWithBeta", SOFTMAX, {floats({1, 2}, {0, 0.5})},
                            {floats({1, 2}, {0.268941, 0.731059})}, beta(2)),
                    op_case("SoftmaxOfCodesTo16Bits", SOFTMAX, {int8({1, 2}, {0, 32}, 1.0f / 32, 0)},
                            {{TensorType::INT16, {1, 2}, {-15143, 15143}, {1.0f / 65536}, {-32768}}},
                            beta(1)),
                    op_case("SoftmaxOfCodesWithBeta", SOFTMAX, {int8({1, 2}, {0, 1}, 0.5f, 0)},
                            {int8({1, 2}, {-59, 59}, 1 / 256.0f, -128)}, beta(2)),
                    op_case("LogSoftmax", LOG_SOFTMAX, {floats({1, 2}, {0, 1})},
                            {floats({1, 2}, {-1.313262, -0.313262})}),
                    op_case("L2Normalization", L2_NORMALIZATION, {floats({2, 2}, {3, 4, 0, 5})},
                            {floats({2, 2}, {0.6, 0.8, 0, 1})})),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Index, Reduce,
    testing::Values(
        op_case("Gather", GATHER, {kSix, ints({2}, {2, 0})}, {floats({2, 2}, {3, 1, 6, 4})}, gathered(1)),
        op_case("EmbeddingLookup", EMBEDDING_LOOKUP,
                {ints({2}, {1, 1}), constant(int8({2, 2}, {1, 2, 3, 4}, 0.5f, 0))},
                {floats({2, 2}, {1.5, 2, 1.5, 2})}),
        op_case("GatherInBatches", GATHER, {kSix, ints({2, 2}, {2, 0, 1, 1})}, {floats({2, 2}, {3, 1, 5, 5})},
                gathered(1, 1)),
        op_case("GatherColumnsInBatches", GATHER,
                {int8({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, 1, 0), longs({2, 1}, {1, 0})},
                {int8({2, 2, 1}, {2, 4, 5, 7}, 1, 0)}, gathered(2, 1)),
        op_case("SegmentSum", UNSORTED_SEGMENT_SUM,
                {floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({4}, {1, 0, -1, 1}), segments(3)},
                {floats({3, 2}, {3, 4, 8, 10, 0, 0})}),
        op_case("SegmentSumOfSortedSegments", SEGMENT_SUM,
                {floats({3, 2}, {1, 2, 3, 4, 5, 6}), constant(ints({3}, {0, 0, 2}))},
                {floats({3, 2}, {4, 6, 0, 0, 5, 6})}),
        op_case("SegmentSumOfAShapeThatTheFileHas", SEGMENT_SUM, {ints({3}, {1, 2, 3}), ints({3}, {0, 1, 1})},
                {ints({2}, {1, 5})}),
        op_case("SegmentProductOfAMatrixOfSegments", UNSORTED_SEGMENT_PROD,
                {floats({2, 2}, {2, 3, 5, 7}), ints({2, 2}, {0, 1, 1, 0}), segments(3)},
                {floats({3}, {14, 15, 1})}),
        op_case("SegmentMin", UNSORTED_SEGMENT_MIN,
                {floats({3}, {3, 1, 2}), ints({3}, {0, 0, 1}), segments(2)}, {floats({2}, {1, 2})}),
        op_case("SegmentMax", UNSORTED_SEGMENT_MAX, {ints({3}, {3, 1, 2}), ints({3}, {0, 0, 1}), segments(3)},
                {ints({3}, {3, 2, -2147483648.0})}),
        op_case("GatherNd", GATHER_ND, {kSix, ints({2, 2}, {0, 1, 1, 2})}, {floats({2}, {2, 6})}),
        op_case("OneHot", ONE_HOT,
                {ints({2}, {1, 0}), number(2), constant(floats({}, {5})), constant(floats({}, {-1}))},
                {floats({2, 2}, {-1, 5, 5, -1})}, one_hot(-1)),
        op_case("TopK", TOPK_V2, {floats({4}, {1, 9, 4, 7}), number(2)},
                {floats({2}, {9, 7}), ints({2}, {1, 3})}),
        op_case("ScatterNdAddsUp", SCATTER_ND,
                {constant(ints({3, 1}, {1, 1, 3})), floats({3}, {1, 2, 4}), constant(ints({1}, {4}))},
                {floats({4}, {0, 3, 0, 4})}),
        op_case("ScatterNdAtIndicesOfARun", SCATTER_ND,
                {ints({2, 1}, {2, 2}), floats({2, 2}, {1, 2, 4, 8}), constant(ints({2}, {3, 2}))},
                {floats({3, 2}, {0, 0, 0, 0, 5, 10})}),
        op_case("WhereFindsPositions", WHERE, {bools({2, 3}, {0, 1, 0, 1, 0, 1})},
                {longs({3, 2}, {0, 1, 1, 0, 1, 2})}),
        op_case("UpdateSlice", DYNAMIC_UPDATE_SLICE,
                {floats({3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), floats({1, 1, 2}, {-1, -2}),
                 ints({3}, {1, 1, 0})},
                {floats({3, 2, 2}, {1, 2, 3, 4, 5, 6, -1, -2, 9, 10, 11, 12})}),
        op_case("UpdateSliceStaysWithin", DYNAMIC_UPDATE_SLICE,
                {floats({4}, {1, 2, 3, 4}), floats({2}, {-1, -2}), ints({1}, {7})},
                {floats({4}, {1, 2, -1, -2})}),
        op_case("UpdateOfAll", DYNAMIC_UPDATE_SLICE,
                {floats({2}, {1, 2}), floats({2}, {-1, -2}), ints({1}, {1})}, {floats({2}, {-1, -2})}),
        op_case("ScatterNd", SCATTER_ND, {ints({2, 1}, {2, 0}), floats({2}, {5, 6}), list({4})},
                {floats({4}, {6, 0, 5, 0})}),
        op_case("SparseToDense", SPARSE_TO_DENSE,
                {ints({2}, {0, 2}), list({4}), floats({}, {7}), constant(floats({}, {0}))},
                {floats({4}, {7, 0, 7, 0})}),
        op_case("Shape", SHAPE, {kSix}, {ints({2}, {2, 3})}), op_case("Rank", RANK, {kSix}, {ints({}, {2})}),
        op_case("Fill", FILL, {list({2, 2}), floats({}, {4})}, {floats({2, 2}, {4, 4, 4, 4})}),
        op_case("ZerosLike", ZEROS_LIKE, {kSix}, {floats({2, 3}, {0, 0, 0, 0, 0, 0})})),
    case_name);

}  // namespace
}  // namespace nnrt::test
