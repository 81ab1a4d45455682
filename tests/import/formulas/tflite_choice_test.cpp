#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

SetOptions reversed(int32_t along, int32_t batch) {
  format::ReverseSequenceOptionsT options;
  options.sequence_dimension = along;
  options.batch_dimension = batch;
  return with(options);
}

const Operand kLines = floats({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

class TfliteChoice : public testing::TestWithParam<OperatorCase> {};

const OperatorCase kCases[] = {
    op_case("ReverseSequence", REVERSE_SEQUENCE, {kLines, ints({2}, {2, 3})},
            {floats({2, 3, 2}, {3, 4, 1, 2, 5, 6, 11, 12, 9, 10, 7, 8})}, reversed(1, 0)),
    op_case("ReverseSequenceOfNone", REVERSE_SEQUENCE, {kLines, longs({2}, {0, 1})},
            {floats({2, 3, 2}, kLines.values)}, reversed(1, 0)),
    op_case("ReverseSequenceAcross", REVERSE_SEQUENCE, {kLines, ints({2}, {2, 1})},
            {floats({2, 3, 2}, {7, 2, 9, 4, 11, 6, 1, 8, 3, 10, 5, 12})}, reversed(0, 2)),
    op_case("ReverseSequenceInt8", REVERSE_SEQUENCE, {int8({2, 2}, {1, 2, 3, 4}, 0.5f, 3), ints({2}, {2, 1})},
            {int8({2, 2}, {3, 2, 1, 4}, 0.5f, 3)}, reversed(0, 1)),
    op_case("MatrixDiag", MATRIX_DIAG, {floats({2, 2}, {1, 2, 3, 4})},
            {floats({2, 2, 2}, {1, 0, 0, 2, 3, 0, 0, 4})}),
    op_case("MatrixDiagInt64", MATRIX_DIAG, {longs({2}, {5, -6})}, {longs({2, 2}, {5, 0, 0, -6})}),
    op_case("MatrixSetDiagWide", MATRIX_SET_DIAG, {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2}, {8, 9})},
            {floats({2, 3}, {8, 2, 3, 4, 9, 6})}),
    op_case("MatrixSetDiagTall", MATRIX_SET_DIAG, {ints({1, 3, 2}, {1, 2, 3, 4, 5, 6}), ints({1, 2}, {8, 9})},
            {ints({1, 3, 2}, {8, 2, 3, 9, 5, 6})}),
};

}  // namespace

TEST_P(TfliteChoice, IsRight) { check_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Operators, TfliteChoice, testing::ValuesIn(kCases), case_name);

}  // namespace nnrt::test
