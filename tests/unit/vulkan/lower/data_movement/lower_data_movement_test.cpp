#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Copy;
using vulkan::Fill;

TEST(LowerDataMovement, ReshapeIsTheInputItself) {
  const RecordingSink sink = LoweredNode(Op::reshape).input({3, 5}).value({15}).output({15}).lower();
  EXPECT_TRUE(is_whole_copy(sink, 0, 60));
}

LoweredNode two_parts(bool is_software) {
  LoweredNode node(Op::concat);
  node.plan.is_software = is_software;
  node.input({2, 3}, DType::u8).input({2, 5}, DType::u8).output({2, 8}, DType::u8).integer(Attr::axis, {1});
  return node;
}

TEST(LowerDataMovement, ContiguousRowsAreCopyCommandsOnSoftware) {
  const RecordingSink sink = two_parts(true).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  const Copy& second = sink.command<Copy>(1);
  ASSERT_EQ(second.pieces.size(), 2u);
  EXPECT_EQ(second.pieces[1].from, 5u);
  EXPECT_EQ(second.pieces[1].to, 11u);
  EXPECT_EQ(second.pieces[1].bytes, 5u);
}

TEST(LowerDataMovement, ShortRowsAreADispatchOnGpus) {
  const RecordingSink sink = two_parts(false).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "copy");
  EXPECT_EQ(sink.dispatch(1).shader, "copy");
}

RecordingSink exchanged_rows(int64_t rows, int64_t row_bytes) {
  return LoweredNode(Op::transpose)
      .input({rows, 2, row_bytes / 4})
      .value({1, 0, 2})
      .output({2, rows, row_bytes / 4})
      .lower();
}

TEST(LowerDataMovement, ManyRowsAreADispatchOnGpus) {
  const RecordingSink sink = exchanged_rows(2, 64 << 10);
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "copy");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{16, 3, 0}));
}

TEST(LowerDataMovement, OneLongRowIsACopyCommandOnGpus) {
  const auto slice_of = [](int64_t bytes) {
    return LoweredNode(Op::slice)
        .input({3, bytes / 4})
        .value({1, 0})
        .value({1, int32_t(bytes / 4)})
        .output({1, bytes / 4})
        .lower();
  };
  EXPECT_EQ(slice_of(64 << 10).command<Copy>().pieces.size(), 1u);
  EXPECT_EQ(slice_of((64 << 10) - 16).dispatch().shader, "copy");
}

TEST(LowerDataMovement, BlockTransposeIsADispatchOnGpus) {
  const RecordingSink sink = LoweredNode(Op::transpose)
                                 .input({1, 2, 7, 2, 7, 256}, DType::f16)
                                 .value({0, 1, 3, 2, 4, 5})
                                 .output({1, 2, 2, 7, 7, 256}, DType::f16)
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants[0], 16u);
  EXPECT_EQ(push_word(sink.dispatch(), 0), 2u * 7 * 2 * 7 * 256 / 8);
}

TEST(LowerDataMovement, TransposeIsOneDispatchOverItsElements) {
  const RecordingSink sink = LoweredNode(Op::transpose).input({3, 5}).value({1, 0}).output({5, 3}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "copy");
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{15, 0, 0, 5, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 5}));
}

TEST(LowerDataMovement, RowsOfVec4AreGathered) {
  const RecordingSink sink = LoweredNode(Op::transpose).input({12, 5}).value({1, 0}).output({5, 12}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{15, 0, 0, 5, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 20}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 2), (std::vector<uint32_t>{5, 10}));
}

TEST(LowerDataMovement, SoftwareTransposes4x4Blocks) {
  LoweredNode node(Op::transpose);
  node.plan.is_software = true;
  const RecordingSink sink = node.input({32, 20}).value({1, 0}).output({20, 32}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2, 5}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{40, 0, 0, 5, 8}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 20}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{32, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 2), (std::vector<uint32_t>{5, 8}));
}

// Four such blocks fill a cache line of the input.
TEST(LowerDataMovement, SoftwareTransposesLinesInRowBlocks) {
  LoweredNode node(Op::transpose);
  node.plan.is_software = true;
  const RecordingSink sink = node.input({96, 32}).value({1, 0}).output({32, 96}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 3, 6}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 6), (std::vector<uint32_t>{48, 0, 0, 2, 2, 12}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 3), (std::vector<uint32_t>{384, 4, 32}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 3), (std::vector<uint32_t>{12, 384, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 3), (std::vector<uint32_t>{8, 24, 24}));
}

// Row ends that do not fill a strip are moved element by element.
TEST(LowerDataMovement, StripsOfOddMatricesAreScatteredBySoftware) {
  LoweredNode node(Op::transpose);
  node.plan.is_software = true;
  const RecordingSink sink = node.input({70, 37}).value({1, 0}).output({37, 70}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  const auto& strips = std::get<vulkan::Dispatch>(sink.commands[0]);
  EXPECT_EQ(strips.constants, (std::vector<uint32_t>{4, 3, 7}));
  EXPECT_EQ(push_words(strips, 0, 6), (std::vector<uint32_t>{140, 0, 0, 2, 2, 35}));
  EXPECT_EQ(push_words(strips, 11, 3), (std::vector<uint32_t>{1295, 16, 37}));
  EXPECT_EQ(push_words(strips, 19, 3), (std::vector<uint32_t>{35, 1120, 1}));
  EXPECT_EQ(push_words(strips, 27, 3), (std::vector<uint32_t>{1, 70, 70}));
  const auto& rest = std::get<vulkan::Dispatch>(sink.commands[1]);
  EXPECT_EQ(rest.constants, (std::vector<uint32_t>{4, 2, 0}));
  EXPECT_EQ(push_words(rest, 1, 4), (std::vector<uint32_t>{32, 2240, 5, 70}));
}

TEST(LowerDataMovement, ShuffledPairsAreGatheredByTwos) {
  const RecordingSink sink =
      LoweredNode(Op::transpose).input({7, 2, 6}).value({0, 2, 1}).output({7, 6, 2}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{21, 0, 0, 7, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{12, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 2), (std::vector<uint32_t>{6, 1}));
}

TEST(LowerDataMovement, VectorizesTwoGroups) {
  const RecordingSink sink =
      LoweredNode(Op::transpose).input({7, 2, 8}).value({0, 2, 1}).output({7, 8, 2}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{14, 0, 0, 7, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{4, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 1), (std::vector<uint32_t>{2}));
}

// A 2D transpose of small elements.
RecordingSink small_transpose(int64_t rows, int64_t columns, DType dtype = DType::f16) {
  return LoweredNode(Op::transpose)
      .input({rows, columns}, dtype)
      .value({1, 0})
      .output({columns, rows}, dtype)
      .lower();
}

TEST(LowerDataMovement, Fp16OfWholeVectorsAreGathered) {
  const RecordingSink sink = small_transpose(24, 3);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{9, 0, 0, 3, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 24}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 2), (std::vector<uint32_t>{3, 6}));
  EXPECT_EQ(small_transpose(16, 3, DType::i8).dispatch().constants, (std::vector<uint32_t>{1, 2, 1}));
}

TEST(LowerDataMovement, TransposesFp16PairsByWords) {
  const RecordingSink sink = small_transpose(24, 4);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2, 4}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{6, 0, 0, 2, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 16}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{6, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 2), (std::vector<uint32_t>{2, 3}));
}

TEST(LowerDataMovement, GathersFp16ByWords) {
  const RecordingSink sink = small_transpose(6, 5);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{15, 0, 0, 5, 3}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{1, 10}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 1), (std::vector<uint32_t>{5}));
}

TEST(LowerDataMovement, LargeTransposesOfSmallElementsAreTiled) {
  const RecordingSink sink = small_transpose(130, 64);
  EXPECT_EQ(sink.dispatch().shader, "transpose_tile");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 1, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{3, 0, 0}));
  EXPECT_EQ(sink.dispatch().threads[0], 3u * sink.dispatch().local[0]);
  EXPECT_EQ(small_transpose(129, 63).dispatch().constants, (std::vector<uint32_t>{2, 0, 0}));
  EXPECT_EQ(small_transpose(64, 66, DType::i8).dispatch().constants, (std::vector<uint32_t>{1, 0, 1}));
  EXPECT_EQ(small_transpose(64, 31).dispatch().shader, "copy");
}

TEST(LowerDataMovement, ShuffledFp16AreInterleavedByVectors) {
  const RecordingSink sink = LoweredNode(Op::transpose)
                                 .input({7, 2, 16}, DType::f16)
                                 .value({0, 2, 1})
                                 .output({7, 16, 2}, DType::f16)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{14, 0, 0, 7, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 11, 2), (std::vector<uint32_t>{4, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 19, 2), (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 27, 1), (std::vector<uint32_t>{2}));
}

TEST(LowerDataMovement, MovesFp16PairsByWords) {
  const RecordingSink sink = LoweredNode(Op::transpose)
                                 .input({12, 5, 2}, DType::f16)
                                 .value({1, 0, 2})
                                 .output({5, 12, 2}, DType::f16)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2, 1}));
}

TEST(LowerDataMovement, GathersBytesByOutputWords) {
  const RecordingSink sink =
      LoweredNode(Op::transpose).input({3, 5}, DType::i8).value({1, 0}).output({5, 3}, DType::i8).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 2, 0}));
  EXPECT_EQ(push_word(sink.dispatch(), 0), 4u);
}

TEST(LowerDataMovement, EightBytesAreTwoWords) {
  const RecordingSink sink =
      LoweredNode(Op::transpose).input({3, 5}, DType::i64).value({1, 0}).output({5, 3}, DType::i64).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 3, 0}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 6), (std::vector<uint32_t>{30, 0, 0, 5, 3, 2}));
}

TEST(LowerDataMovement, RowsOfWholeVectorsAreCopiedInVectors) {
  const RecordingSink sink = LoweredNode(Op::transpose)
                                 .input({7, 5, 8}, DType::f16)
                                 .value({1, 0, 2})
                                 .output({5, 7, 8}, DType::f16)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[0], 16u);
  EXPECT_EQ(push_word(sink.dispatch(), 0), 35u);
}

TEST(LowerDataMovement, RowsOfWholeWordsAreCopiedInWords) {
  const RecordingSink sink = LoweredNode(Op::transpose)
                                 .input({7, 5, 12}, DType::i8)
                                 .value({1, 0, 2})
                                 .output({5, 7, 12}, DType::i8)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[0], 4u);
  EXPECT_EQ(push_word(sink.dispatch(), 0), 105u);
}

TEST(LowerDataMovement, PaddingIsFilledFirst) {
  const RecordingSink sink =
      LoweredNode(Op::pad).input({3}).value({1, 2}, {1, 1}).output({5}).real(Attr::constant_value, 1).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.command<Fill>(0).word, 0x3f800000u);
  EXPECT_EQ(sink.dispatch(1).shader, "copy");
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 3), (std::vector<uint32_t>{3, 0, 1}));
}

TEST(LowerDataMovement, PaddingOfUnequalWordsRepeatsTheElement) {
  const RecordingSink sink = LoweredNode(Op::pad)
                                 .input({3}, DType::i64)
                                 .value({1, 2}, {1, 1})
                                 .output({5}, DType::i64)
                                 .real(Attr::constant_value, 7)
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "copy");
  EXPECT_EQ(sink.constants.at("fill_element").size(), 8u);
}

TEST(LowerDataMovement, OtherQuantizationIsRequantizedFirst) {
  const RecordingSink sink = LoweredNode(Op::reshape)
                                 .input({2, 3}, DType::i8, {{1}, {0}})
                                 .value({6})
                                 .output({6}, DType::i8, {{0.5}, {0}})
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "lookup");
  EXPECT_EQ(int8_t(sink.constants.at("requantized_0")[3]), 6);
}

TEST(LowerDataMovement, PaddingIsRequantizedLikeTheInput) {
  const RecordingSink sink = LoweredNode(Op::pad)
                                 .input({3}, DType::i8, {{1}, {-2}})
                                 .value({1, 2}, {1, 1})
                                 .output({5}, DType::i8, {{0.5}, {3}})
                                 .real(Attr::constant_value, 1)
                                 .lower();
  EXPECT_EQ(sink.command<Fill>(1).word, 0x05050505u);
}

TEST(LowerDataMovement, PartsOfDifferentQuantizationAreRefused) {
  const Quant one{{0.5}, {0}}, other{{0.25}, {0}};
  const auto unstack = [&](const Quant& first, const Quant& second, DType dtype) {
    return LoweredNode(Op::unstack)
        .input({2, 5}, dtype, one)
        .output({5}, dtype, first)
        .output({5}, dtype, second)
        .refusal();
  };
  EXPECT_TRUE(unstack(one, other, DType::i8));
  EXPECT_TRUE(unstack({}, other, DType::i8));
  EXPECT_FALSE(unstack(other, other, DType::i8));
  EXPECT_FALSE(unstack({}, one, DType::i8));
  EXPECT_FALSE(unstack(one, other, DType::u8));
}

TEST(LowerDataMovement, OfPlainNumbersIgnoresQuantization) {
  const RecordingSink sink = LoweredNode(Op::reshape)
                                 .input({2, 3}, DType::f32, {{1}, {0}})
                                 .value({6})
                                 .output({6}, DType::f32, {{0.5}, {0}})
                                 .lower();
  EXPECT_TRUE(is_whole_copy(sink, 0, 24));
}

TEST(LowerDataMovement, ManyDimensionsAreSplitIntoSeveralDispatches) {
  const Shape shape{2, 2, 2, 2, 2};
  const Shape tiled{4, 4, 4, 4, 4};
  const RecordingSink sink = LoweredNode(Op::tile).input(shape).value({2, 2, 2, 2, 2}).output(tiled).lower();
  EXPECT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(1).constants[1], 8u);
}

LoweredNode assertion(std::optional<bool> condition) {
  LoweredNode node(Op::assert_);
  if (condition) {
    node.boolean(*condition);
  } else {
    node.input({1}, DType::boolean);
  }
  node.input({2, 3}, DType::f64).output({2, 3}, DType::f64);
  return node;
}

TEST(LowerAssert, CopiesDataIfConditionIsConstantTrue) {
  const RecordingSink sink = assertion(true).lower();
  EXPECT_TRUE(is_whole_copy(sink, 1, 48));
}

TEST(LowerAssert, LeavesWhatCanFailToTheCpu) {
  EXPECT_EQ(assertion(false).refusal(), "The condition is false.");
  EXPECT_EQ(assertion(std::nullopt).refusal(),
            "The condition is only known at run time, when the GPU cannot report a failure.");
}

}  // namespace
}  // namespace nnrt::test
