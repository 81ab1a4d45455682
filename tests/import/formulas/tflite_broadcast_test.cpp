#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

class TfliteBroadcast : public testing::TestWithParam<OperatorCase> {};

const OperatorCase kCases[] = {
    op_case("Args", BROADCAST_ARGS, {ints({2}, {4, 1}), ints({3}, {2, 1, 5})}, {ints({3}, {2, 4, 5})}),
    op_case("ArgsInt64", BROADCAST_ARGS, {longs({3}, {1, 7, 1}), longs({1}, {9})}, {longs({3}, {1, 7, 9})}),
    op_case("ArgsConstant", BROADCAST_ARGS, {constant(ints({2}, {4, 1})), ints({2}, {1, 6})},
            {ints({2}, {4, 6})}),
    op_case("ToComputedShape", BROADCAST_TO, {floats({2, 1}, {1, -0.0}), ints({3}, {2, 2, 3})},
            {floats({2, 2, 3}, {1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0})}),
    op_case("BoolsToShape", BROADCAST_TO, {bools({1}, {1}), constant(longs({1}, {3}))},
            {bools({3}, {1, 1, 1})}),
};

}  // namespace

TEST_P(TfliteBroadcast, IsRight) { check_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Operators, TfliteBroadcast, testing::ValuesIn(kCases), case_name);

// As TensorFlow writes a broadcast: the target follows from two shapes, known or dynamic.
TEST(TfliteBroadcastArgs, DecideAShape) {
  for (const bool is_known : {true, false}) {
    TfliteWriter writer;
    const Operand x = floats({1, 2}, {3, 4}), first = ints({2}, {3, 1}), second = constant(ints({1}, {2}));
    Operand y = floats({3, 2}, {3, 4, 3, 4, 3, 4});
    y.signature = {-1, -1};
    const int32_t input = writer.input(x), shape = writer.tensor(ints({2}, {})), output = writer.tensor(y);
    const int32_t given = is_known ? writer.tensor(constant(first)) : writer.input(first);
    writer.add(BROADCAST_ARGS, {given, writer.tensor(second)}, {shape});
    writer.add(BROADCAST_TO, {input, shape}, {output});
    writer.output(output);
    const std::vector<Operand> fed = is_known ? std::vector<Operand>{x} : std::vector<Operand>{x, first};
    EXPECT_EQ(run(writer.finish(), fed, {y}).at(0), y.values);
  }
}

TEST(TfliteBroadcastArgs, RejectsIncompatibleShapes) {
  EXPECT_EQ(refusal(one_operator(BROADCAST_ARGS, {}, {constant(ints({1}, {4})), constant(ints({1}, {3}))},
                                 {ints({1}, {})})),
            "BROADCAST_ARGS (operator 0) has shapes that do not broadcast.");
}

}  // namespace nnrt::test
