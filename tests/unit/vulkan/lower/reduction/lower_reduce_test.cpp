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

TEST(LowerReduce, VectorizesAdjacentResults) {
  const RecordingSink sink = reduction(Op::reduce_max, {3, 5, 8}, {1}).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_f32_vec4");
  EXPECT_EQ(push_word(sink.dispatch(), count), 6u);
}

TEST(LowerReduce, VectorizesLastDimension) {
  const RecordingSink sink = reduction(Op::reduce_min, {3, 8}, {-1}).lower();
  EXPECT_EQ(sink.dispatch().shader, "reduce_f32_vec4_row");
  EXPECT_EQ(push_word(sink.dispatch(), length), 2u);
}

TEST(LowerReduce, ReducesSeparateAxesInTurn) {
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

TEST(LowerReduce, SplitsLongReductions) {
  const RecordingSink sink = reduction(Op::reduce_sum, {100003}, {0}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(push_word(sink.dispatch(0), count),
            push_word(sink.dispatch(1), length) * (push_word(sink.dispatch(1), length) % 4 == 0 ? 4 : 1));
  EXPECT_GE(push_word(sink.dispatch(0), chunk) * push_word(sink.dispatch(0), chunks), 100003u);
}

RecordingSink long_reduction(Shape shape, int32_t axis, DType dtype = DType::f32, uint32_t cores = 132) {
  LoweredNode node =
      reduction(dtype == DType::boolean ? Op::reduce_all : Op::reduce_sum, std::move(shape), {axis}, dtype);
  node.plan.max_group_invocations = 1024;
  node.plan.cores = cores;
  node.plan.subgroup_arithmetic = true;
  return node.lower();
}

TEST(LowerReduce, GivesAWorkgroupALongReduction) {
  EXPECT_EQ(long_reduction({7, 1000}, 1).dispatch().shader, "reduce_f32_vec4_row_subgroups");
  EXPECT_EQ(long_reduction({7, 1001}, 1).dispatch().shader, "reduce_f32_subgroups");
  EXPECT_EQ(long_reduction({7, 1000}, 1, DType::i32).dispatch().shader, "reduce_i32_subgroups");
  EXPECT_EQ(long_reduction({7, 1000}, 1, DType::boolean).dispatch().shader, "reduce_bool_group");
  const RecordingSink pool = long_reduction({2, 49, 1280}, 1);
  EXPECT_EQ(pool.dispatch().shader, "reduce_f32_vec4_group");
  EXPECT_EQ(pool.dispatch().constants.back(), 8u);
  EXPECT_EQ(pool.dispatch().local, (vulkan::Size3{256, 1, 1}));
  EXPECT_EQ(pool.dispatch().threads[0], 640u / 8 * 256);
}

TEST(LowerReduce, CutsWhatWouldKeepFewCoresBusy) {
  const RecordingSink all = long_reduction({1 << 22}, 0);
  ASSERT_EQ(all.commands.size(), 2u);
  EXPECT_EQ(all.dispatch(0).shader, "reduce_f32_vec4_row_subgroups");
  EXPECT_EQ(push_word(all.dispatch(0), count), 264u);
  EXPECT_EQ(all.dispatch(0).threads[0], 264u * 256);
  EXPECT_EQ(long_reduction({1 << 22}, 0, DType::f32, 8).dispatch(0).threads[0], 16u * 256);
  EXPECT_EQ(long_reduction({300, 1 << 14}, 1).commands.size(), 1u);
  // One workgroup finishes about when a second dispatch would start.
  EXPECT_EQ(long_reduction({1 << 16}, 0).commands.size(), 1u);
  EXPECT_EQ(long_reduction({1, 112 * 112, 32}, 1).commands.size(), 1u);
  EXPECT_EQ(long_reduction({1, 224 * 224, 32}, 1).commands.size(), 2u);
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

TEST(LowerArgMax, GivesAWorkgroupALongRow) {
  LoweredNode node(Op::arg_max);
  node.plan.max_group_invocations = 256;
  node.plan.subgroup_arithmetic = true;
  node.input({3, 1000}).integer(Attr::axis, {1}).output({3}, DType::i64);
  EXPECT_EQ(node.lower().dispatch().shader, "arg_max_f32_subgroups");
  node.plan.kernels.forbid("arg_max_by_subgroups");
  EXPECT_EQ(node.lower().dispatch().shader, "arg_max_f32_group");
  EXPECT_EQ(node.lower().dispatch().threads, (vulkan::Size3{3 * 256, 1, 1}));
}

}  // namespace
}  // namespace nnrt::test
