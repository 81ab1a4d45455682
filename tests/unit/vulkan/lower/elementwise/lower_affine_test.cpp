#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

// Offsets in the push constants of affine.comp.
constexpr size_t kInner = 1, kChannels = 2;

TEST(LowerAffine, ChannelsOfBatchNormAreLast) {
  const RecordingSink sink = LoweredNode(Op::batch_norm)
                                 .input({2, 5, 3})
                                 .input({3})
                                 .input({3})
                                 .input({3})
                                 .input({3})
                                 .output({2, 5, 3})
                                 .lower();
  EXPECT_EQ(push_word(sink.dispatch(), kInner), 1u);
  EXPECT_EQ(push_word(sink.dispatch(), kChannels), 3u);
}

TEST(LowerAffine, ChannelsOfNchwBatchNormAreDimensionOne) {
  LoweredNode node(Op::batch_norm);
  node.input({2, 3, 5, 7}, DType::f32, {}, Format::nchw);
  for (int term = 0; term < 4; ++term) node.input({3});
  const RecordingSink sink = node.output({2, 3, 5, 7}).lower();
  EXPECT_EQ(push_word(sink.dispatch(), kInner), 35u);
  EXPECT_EQ(push_word(sink.dispatch(), kChannels), 3u);
}

TEST(LowerAffine, WholeVectorsOfChannelsAreReadAsSuch) {
  const RecordingSink sink = LoweredNode(Op::scale)
                                 .input({3, 8})
                                 .input({8})
                                 .input({8})
                                 .output({3, 8})
                                 .integer(Attr::axis, {1})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[2], 1u);
  EXPECT_EQ(push_word(sink.dispatch(), kChannels), 2u);
}

TEST(LowerAffine, LoadsTermsOncePerChannelVector) {
  const RecordingSink sink = LoweredNode(Op::scale)
                                 .input({3, 8})
                                 .input({3})
                                 .input({3})
                                 .output({3, 8})
                                 .integer(Attr::axis, {0})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[2], 2u);
  EXPECT_EQ(push_word(sink.dispatch(), kInner), 2u);
}

TEST(LowerAffine, BroadcastsScalarTerms) {
  const RecordingSink sink = LoweredNode(Op::scale)
                                 .input({3, 1})
                                 .input({1})
                                 .input({1})
                                 .output({3, 1})
                                 .integer(Attr::axis, {1})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[2], 2u);
  EXPECT_EQ(push_word(sink.dispatch(), kInner), 1u);
}

TEST(LowerAffine, ScaleSpreadsFromItsAxisOn) {
  const RecordingSink sink = LoweredNode(Op::scale)
                                 .input({2, 3, 5, 7})
                                 .input({3, 5})
                                 .input({3, 5})
                                 .output({2, 3, 5, 7})
                                 .integer(Attr::axis, {-3})
                                 .lower();
  EXPECT_EQ(push_word(sink.dispatch(), kInner), 7u);
  EXPECT_EQ(push_word(sink.dispatch(), kChannels), 15u);
}

TEST(LowerSelect, MovesEightBytesAsTwoWords) {
  const RecordingSink sink = LoweredNode(Op::select)
                                 .input({3}, DType::boolean)
                                 .input({3}, DType::i64)
                                 .input({3}, DType::i64)
                                 .output({3}, DType::i64)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{6, 3, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 8, 2), (std::vector<uint32_t>{1, 0}));   // condition
  EXPECT_EQ(push_words(sink.dispatch(), 15, 2), (std::vector<uint32_t>{2, 1}));  // values
}

TEST(LowerSelect, MovesBytesFourAWord) {
  const RecordingSink sink = LoweredNode(Op::where)
                                 .input({1}, DType::boolean)
                                 .input({5}, DType::u8)
                                 .input({5}, DType::u8)
                                 .output({5}, DType::u8)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(sink.dispatch().threads[0], 2u);
}

TEST(LowerSelect, RefusesRankEight) {
  const Shape shape(8, 2);
  const Refusal refusal =
      LoweredNode(Op::where).input(shape, DType::boolean).input(shape).input(shape).output(shape).refusal();
  EXPECT_TRUE(refusal.has_value());
}

TEST(LowerSelect, RequantizesWhatTheOutputQuantizesDifferently) {
  LoweredNode node(Op::select);
  node.input({5}, DType::boolean).input({5}, DType::i8, {{1}, {0}}).input({5}, DType::i8, {{0.5}, {0}});
  const RecordingSink sink = node.output({5}, DType::i8, {{0.5}, {0}}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "lookup");
  EXPECT_EQ(sink.dispatch(1).buffers[1].space, vulkan::Buffer::Space::scratch);
  EXPECT_EQ(sink.dispatch(1).buffers[2], (vulkan::Buffer{vulkan::Buffer::Space::tensor, 2}));
}

}  // namespace
}  // namespace nnrt::test
