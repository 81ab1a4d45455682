#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Buffer;

// Offsets in the push constants of broadcast_operands.glsl.
constexpr size_t kA = 1, kB = 2, kZeroPoints = 4, kDims = 5, kX = 13, kY = 21;
// Indices of specialization constants.
constexpr size_t kRank = 1, kXForm = 2, kYForm = 3;
constexpr uint32_t kElements = 0, kVectors = 1, kSplat = 2;

TEST(LowerBinary, EqualShapesAreWalkedAsOneDimension) {
  const RecordingSink sink = LoweredNode(Op::add).input({2, 3, 5}).input({2, 3, 5}).output({2, 3, 5}).lower();
  EXPECT_EQ(sink.dispatch().constants[kRank], 1u);
  EXPECT_EQ(sink.dispatch().constants[kXForm], kVectors);
  EXPECT_EQ(sink.dispatch().constants[kYForm], kVectors);
  EXPECT_EQ(sink.dispatch().threads[0], 8u);  // for 30 elements
}

TEST(LowerBinary, ScalarIsSplat) {
  const RecordingSink sink = LoweredNode(Op::mul).input({2, 3}).input({1}).output({2, 3}).lower();
  EXPECT_EQ(sink.dispatch().constants[kRank], 1u);
  EXPECT_EQ(sink.dispatch().constants[kYForm], kSplat);
  EXPECT_EQ(push_word(sink.dispatch(), kY), 0u);
}

TEST(LowerBinary, RowIsBroadcastAlongItsOwnDimension) {
  const RecordingSink sink = LoweredNode(Op::sub).input({2, 3, 5}).input({5}).output({2, 3, 5}).lower();
  EXPECT_EQ(sink.dispatch().constants[kXForm], kElements);
  EXPECT_EQ(push_words(sink.dispatch(), kDims, 2), (std::vector<uint32_t>{6, 5}));
  EXPECT_EQ(push_words<int32_t>(sink.dispatch(), kX, 2), (std::vector<int32_t>{5, 1}));
  EXPECT_EQ(push_words<int32_t>(sink.dispatch(), kY, 2), (std::vector<int32_t>{0, 1}));
}

TEST(LowerBinary, VectorizesRows) {
  const RecordingSink sink = LoweredNode(Op::sub).input({2, 3, 8}).input({8}).output({2, 3, 8}).lower();
  EXPECT_EQ(sink.dispatch().constants[kYForm], kVectors);
  EXPECT_EQ(push_words(sink.dispatch(), kDims, 2), (std::vector<uint32_t>{6, 2}));
  EXPECT_EQ(push_words<int32_t>(sink.dispatch(), kX, 2), (std::vector<int32_t>{2, 1}));
}

TEST(LowerBinary, PreluOfNchwFollowsDimensionOne) {
  const RecordingSink sink = LoweredNode(Op::prelu)
                                 .input({2, 3, 5, 7}, DType::f32, {}, Format::nchw)
                                 .input({3})
                                 .output({2, 3, 5, 7})
                                 .lower();
  EXPECT_EQ(push_words(sink.dispatch(), kDims, 3), (std::vector<uint32_t>{2, 3, 35}));
  EXPECT_EQ(push_words<int32_t>(sink.dispatch(), kY, 3), (std::vector<int32_t>{0, 1, 0}));
}

TEST(LowerBinary, EltwiseIsTheOperatorOfItsMode) {
  const RecordingSink sink =
      LoweredNode(Op::eltwise).input({3}).input({3}).output({3}).integer(Attr::mode, {1}).lower();
  EXPECT_EQ(sink.dispatch().constants[0], uint32_t(Op::add));
}

TEST(LowerBinary, LogicalAndIsTheProductOfBool) {
  const RecordingSink sink = LoweredNode(Op::logical_and)
                                 .input({3}, DType::boolean)
                                 .input({3}, DType::boolean)
                                 .output({3}, DType::boolean)
                                 .lower();
  EXPECT_EQ(sink.dispatch().shader, "binary_bool");
  EXPECT_EQ(sink.dispatch().constants[0], uint32_t(Op::mul));
}

TEST(LowerBinary, FourComparisonsAreOneWord) {
  const RecordingSink sink =
      LoweredNode(Op::less).input({3, 3}).input({3, 3}).output({3, 3}, DType::boolean).lower();
  EXPECT_EQ(sink.dispatch().shader, "compare_f32");
  EXPECT_EQ(sink.dispatch().threads[0], 3u);  // for 9 results
}

TEST(LowerBinary, OperandOfALowerDtypeIsConvertedFirst) {
  const RecordingSink sink =
      LoweredNode(Op::add).input({7}, DType::i8).input({7}, DType::f16).output({7}, DType::f16).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.scratches, std::vector<size_t>{14});
  EXPECT_EQ(sink.dispatch(0).shader, "cast");
  EXPECT_EQ(sink.dispatch(1).shader, "binary_f16");
  EXPECT_EQ(sink.dispatch(1).buffers[0], (Buffer{Buffer::Space::scratch, 0}));
}

TEST(LowerBinary, PassesRelativeScalesAndZeroPoints) {
  const RecordingSink sink = LoweredNode(Op::add)
                                 .input({7}, DType::i8, {{0.5}, {1}})
                                 .input({7}, DType::i8, {{0.25}, {-1}})
                                 .output({7}, DType::i8, {{2}, {3}})
                                 .lower();
  EXPECT_EQ(sink.dispatch().shader, "binary_q8");
  EXPECT_EQ(push_word<float>(sink.dispatch(), kA), 0.25f);
  EXPECT_EQ(push_word<float>(sink.dispatch(), kB), 0.125f);
  EXPECT_EQ(push_word(sink.dispatch(), kZeroPoints), 0x7f03ff01u);
}

TEST(LowerBinary, TwoInt64AreAVector) {
  const RecordingSink sink =
      LoweredNode(Op::add).input({7}, DType::i64).input({7}, DType::i64).output({7}, DType::i64).lower();
  EXPECT_EQ(sink.dispatch().shader, "binary_i64");
  EXPECT_EQ(sink.dispatch().constants[kXForm], kVectors);
  EXPECT_EQ(sink.dispatch().threads[0], 4u);
}

TEST(LowerBinary, DirectionOfAShiftIsAParameter) {
  for (const int direction : {0, 1}) {
    const RecordingSink sink = LoweredNode(Op::bit_shift)
                                   .input({8}, DType::u8)
                                   .input({8}, DType::u8)
                                   .integer(Attr::direction, {double(direction)})
                                   .output({8}, DType::u8)
                                   .lower();
    EXPECT_EQ(sink.dispatch().shader, "binary_u8");
    EXPECT_EQ(push_word<float>(sink.dispatch(), kA), float(direction));
  }
}

TEST(LowerBinary, ComputesInt64PerInvocation) {
  const RecordingSink sink = LoweredNode(Op::add)
                                 .input({5, 3}, DType::i64)
                                 .input({3}, DType::i64)
                                 .output({5, 3}, DType::i64)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[kXForm], kElements);
  EXPECT_EQ(sink.dispatch().threads[0], 15u);
}

TEST(LowerBinary, ComputesFloat64RemainderOnBits) {
  const RecordingSink sink =
      LoweredNode(Op::mod).input({3}, DType::f64).input({3}, DType::f64).output({3}, DType::f64).lower();
  EXPECT_EQ(sink.dispatch().shader, "binary_f64");
}

}  // namespace
}  // namespace nnrt::test
