#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

// Words of the push constants of reduce.comp.
enum Word : size_t { count, length, chunk, chunks, inner, divisor, factor };

LoweredNode reduction(Op op, Shape shape, std::vector<int32_t> axes, DType dtype = DType::f32) {
  LoweredNode node(op);
  node.input(std::move(shape), dtype).value(axes).output({}, dtype);
  return node;
}

TEST(LowerReduce, SeesTheAxesAsTheMiddle) {
  const RecordingSink sink = reduction(Op::reduce_sum, {2, 3, 5, 7}, {1, 2}).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_f32");
  EXPECT_EQ(push_word(sink.dispatch(), count), 14u);
  EXPECT_EQ(push_word(sink.dispatch(), length), 15u);
  EXPECT_EQ(push_word(sink.dispatch(), inner), 7u);
}

TEST(LowerReduce, TakesFourResultsAtOnceWhereTheyAreNeighbours) {
  const RecordingSink sink = reduction(Op::reduce_max, {3, 5, 8}, {1}).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_f32_vec4");
  EXPECT_EQ(push_word(sink.dispatch(), count), 6u);
}

TEST(LowerReduce, TakesFourElementsAtOnceAlongTheLastDimension) {
  const RecordingSink sink = reduction(Op::reduce_min, {3, 8}, {-1}).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_f32_vec4_row");
  EXPECT_EQ(push_word(sink.dispatch(), length), 2u);
}

TEST(LowerReduce, ReducesAxesThatAreApartOneAfterTheOther) {
  const RecordingSink sink = reduction(Op::reduce_mean, {3, 5, 7}, {0, 2}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{15 * 4}));
  EXPECT_EQ(push_word<float>(sink.dispatch(0), divisor), 1);
  EXPECT_EQ(push_word<float>(sink.dispatch(1), divisor), 21);
}

TEST(LowerReduce, TakesSquaresFirstAndTheRootLast) {
  const RecordingSink sink = reduction(Op::reduce_l2, {3, 5, 7}, {0, 2}).lower();
  EXPECT_EQ(sink.dispatch(0).constants, (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(sink.dispatch(1).constants, (std::vector<uint32_t>{0, 0, 1}));
}

TEST(LowerReduce, StillTakesTheRootWhereNothingIsReduced) {
  const RecordingSink sink = reduction(Op::reduce_l2, {3, 1}, {1}).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 1}));
  EXPECT_EQ(push_word(sink.dispatch(), count), 3u);
  EXPECT_EQ(push_word(sink.dispatch(), length), 1u);
}

TEST(LowerReduce, CutsALongReductionWithFewResultsIntoChunks) {
  const RecordingSink sink = reduction(Op::reduce_sum, {100003}, {0}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(push_word(sink.dispatch(0), count),
            push_word(sink.dispatch(1), length) * (push_word(sink.dispatch(1), length) % 4 == 0 ? 4 : 1));
  EXPECT_GE(push_word(sink.dispatch(0), chunk) * push_word(sink.dispatch(0), chunks), 100003u);
}

TEST(LowerReduce, AppliesTheCoefficientOnlyWithReduceToEnd) {
  const RecordingSink alone = reduction(Op::reduce_sum, {3, 5}, {1}).real(Attr::coeff, 2).lower();
  EXPECT_EQ(push_word<float>(alone.dispatch(), factor), 1);
  const RecordingSink to_end =
      reduction(Op::reduce_sum, {3, 5}, {1}).real(Attr::coeff, 2).integer(Attr::reduce_to_end, {1}).lower();
  EXPECT_EQ(push_word<float>(to_end.dispatch(), factor), 2);
}

TEST(LowerReduce, OwnsWholeWordsOfBooleanResults) {
  const RecordingSink sink = reduction(Op::reduce_all, {9, 3}, {1}, DType::boolean).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_bool");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{3, 1, 1}));
}

TEST(LowerReduce, SumsIntegersForTheirMeanIn64Bits) {
  const RecordingSink sink = reduction(Op::reduce_mean, {3, 5}, {1}, DType::i32).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.scratches[0], 15u * 8);
  EXPECT_EQ(sink.dispatch(1).shader, "reduce_i64");
  EXPECT_EQ(push_word(sink.dispatch(1), divisor), 5u);
}

TEST(LowerReduce, SumsIntegersModulo32Bits) {
  const RecordingSink sink = reduction(Op::reduce_sum, {3, 5}, {1}, DType::i32).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "reduce_i32");
}

TEST(LowerArgMax, WritesPlacesAsTheOutputDeclaresThem) {
  LoweredNode node(Op::arg_max);
  const RecordingSink sink =
      node.input({3, 5, 7}).integer(Attr::axis, {1}).output({3, 7}, DType::i64).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2}));
  EXPECT_EQ(push_word(sink.dispatch(), 1), 5u);
}

}  // namespace
}  // namespace nnrt::test
