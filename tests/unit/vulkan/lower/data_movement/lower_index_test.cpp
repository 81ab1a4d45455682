#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Fill;

// Words of the push constants of gather.comp; those of scatter.comp are rows, step, width, dims.
enum Word : size_t { count, rows, slice, zero, width, dims };

LoweredNode gather(Shape shape, Shape indices, int32_t axis, Shape output, DType dtype) {
  LoweredNode node(Op::gather);
  node.input(std::move(shape), dtype).input(std::move(indices), DType::i32).value({axis});
  node.output(std::move(output), dtype);
  return node;
}

TEST(LowerIndex, GatherTakesSlicesOfManyTensors) {
  const RecordingSink sink = gather({3, 5, 7}, {2}, -2, {3, 2, 7}, DType::f32).lower();
  EXPECT_EQ(sink.dispatch().shader, "gather");
  EXPECT_EQ(push_words(sink.dispatch(), count, 6), (std::vector<uint32_t>{42, 2, 7, 0, 1, 5}));
}

TEST(LowerIndex, OnlyGatherCountsFromTheEnd) {
  const RecordingSink first = gather({5}, {2}, 0, {2}, DType::f32).lower();
  EXPECT_EQ(first.dispatch().constants, (std::vector<uint32_t>{4, 1, 1}));
  const RecordingSink second =
      LoweredNode(Op::gather_nd).input({5}).input({2, 1}, DType::i32).output({2}).lower();
  EXPECT_EQ(second.dispatch().constants, (std::vector<uint32_t>{4, 1, 0}));
}

TEST(LowerIndex, GathersByTheLargestUnit) {
  const RecordingSink words = gather({3, 12}, {5}, 0, {5, 12}, DType::i8).lower();
  EXPECT_EQ(words.dispatch().constants[0], 4u);
  EXPECT_EQ(push_words(words.dispatch(), count, 3), (std::vector<uint32_t>{15, 5, 3}));
  const RecordingSink vectors = gather({3, 32}, {5}, 0, {5, 32}, DType::i8).lower();
  EXPECT_EQ(vectors.dispatch().constants[0], 16u);
  EXPECT_EQ(push_words(vectors.dispatch(), count, 3), (std::vector<uint32_t>{10, 5, 2}));
}

TEST(LowerIndex, OtherSlicesAreCopiedByElements) {
  const RecordingSink sink = gather({3, 7}, {5}, 0, {5, 7}, DType::i8).lower();
  EXPECT_EQ(sink.dispatch().constants[0], 1u);
  EXPECT_EQ(push_words(sink.dispatch(), count, 3), (std::vector<uint32_t>{35, 5, 7}));
  EXPECT_EQ(sink.dispatch().threads[0], 9u);
}

TEST(LowerIndex, EightBytesAreTwoWords) {
  const RecordingSink sink = gather({3}, {5}, 0, {5}, DType::f64).lower();
  EXPECT_EQ(push_words(sink.dispatch(), count, 3), (std::vector<uint32_t>{10, 5, 2}));
}

TEST(LowerIndex, FillsQuantizedWithZeroPoint) {
  const Quant quant{{0.5}, {-2}};
  const RecordingSink sink = LoweredNode(Op::gather_nd)
                                 .input({3, 5}, DType::i8, quant)
                                 .input({7, 2}, DType::i64)
                                 .output({7}, DType::i8, quant)
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 2, 0}));
  EXPECT_EQ(push_words(sink.dispatch(), count, 7), (std::vector<uint32_t>{7, 7, 1, 0xfefefefe, 2, 3, 5}));
}

TEST(LowerIndex, OtherParametersAreRequantizedFirst) {
  const RecordingSink sink = LoweredNode(Op::gather_nd)
                                 .input({3}, DType::i8, {{1}, {-2}})
                                 .input({5, 1}, DType::i32)
                                 .output({5}, DType::i8, {{0.5}, {3}})
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "lookup");
  EXPECT_EQ(push_word(sink.dispatch(1), zero), 0x03030303u);
}

TEST(LowerIndex, ScaleForEachChannelIsNotRequantized) {
  const LoweredNode node = LoweredNode(Op::gather_nd)
                               .input({2}, DType::i8, {{1, 2}, {0, 0}})
                               .input({5, 1}, DType::i32)
                               .output({5}, DType::i8, {{0.5}, {3}});
  EXPECT_EQ(node.refusal(), "Per-channel requantization is not supported on the GPU.");
}

TEST(LowerIndex, ScatterBecomesGather) {
  const RecordingSink sink = LoweredNode(Op::scatter_nd)
                                 .input({2, 3, 2}, DType::i32)
                                 .input({2, 3, 7}, DType::u8)
                                 .value({5, 3, 7})
                                 .output({5, 3, 7}, DType::u8)
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.scratches, std::vector<size_t>{15 * 4});
  EXPECT_EQ(sink.command<Fill>(0).word, 0xffffffffu);
  EXPECT_EQ(sink.dispatch(1).shader, "scatter");
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 5), (std::vector<uint32_t>{6, 1, 2, 5, 3}));
  EXPECT_EQ(sink.dispatch(2).shader, "gather");
  EXPECT_EQ(sink.dispatch(2).buffers[0], (vulkan::Buffer{vulkan::Buffer::Space::scratch, 0}));
  EXPECT_EQ(push_words(sink.dispatch(2), count, 6), (std::vector<uint32_t>{105, 15, 7, 0, 1, 6}));
}

TEST(LowerIndex, OneValueIsScatteredToAllRows) {
  const RecordingSink sink = LoweredNode(Op::sparse_to_dense)
                                 .input({7, 2}, DType::i64)
                                 .input({1})
                                 .value({3, 5})
                                 .output({3, 5})
                                 .lower();
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 5), (std::vector<uint32_t>{7, 0, 2, 3, 5}));
  EXPECT_EQ(push_word(sink.dispatch(2), dims), 1u);
}

TEST(LowerIndex, PlacesBeyondWhatTheDeviceBindsAreRefused) {
  LoweredNode node(Op::sparse_to_dense);
  node.input({2, 1}, DType::i32).input({1}, DType::u8).value({1000}).output({1000}, DType::u8);
  node.plan.max_storage_range = 3999;
  EXPECT_TRUE(node.refusal());
  node.plan.max_storage_range = 4000;
  EXPECT_FALSE(node.refusal());
}

TEST(LowerIndex, OneHotIsOneDispatchOverItsWords) {
  const RecordingSink sink = LoweredNode(Op::one_hot)
                                 .input({3, 5}, DType::i64)
                                 .value({7})
                                 .input({1}, DType::f16)
                                 .input({1}, DType::f16)
                                 .output({3, 7, 5}, DType::f16)
                                 .integer(Attr::axis, {1})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{105, 7, 5}));
  EXPECT_EQ(sink.dispatch().threads[0], 53u);
}

LoweredNode top_k(Shape shape, int32_t k, Shape output, DType dtype) {
  LoweredNode node(Op::top_k);
  node.input(std::move(shape), dtype).value({k}).output(output, dtype).output(output, DType::i64);
  return node;
}

TEST(LowerIndex, TopKOfShortLinesIsOneDispatch) {
  const RecordingSink sink = top_k({3, 5, 7}, 2, {3, 2, 7}, DType::f32).integer(Attr::axis, {1}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 32, 0, 0, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 6), (std::vector<uint32_t>{105, 5, 7, 5, 2, 2}));
}

TEST(LowerIndex, TopKSplitsLongLines) {
  const RecordingSink sink = top_k({3, 1000}, 7, {3, 7}, DType::f32).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(push_words(sink.dispatch(0), 0, 6), (std::vector<uint32_t>{3000, 1000, 1, 256, 7, 28}));
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 6), (std::vector<uint32_t>{84, 28, 1, 28, 7, 7}));
  EXPECT_EQ(sink.dispatch(0).constants, (std::vector<uint32_t>{4, 32, 0, 0, 1}));
  EXPECT_EQ(sink.dispatch(1).constants, (std::vector<uint32_t>{4, 32, 1, 0, 2}));
}

TEST(LowerIndex, TopKKeepsShortLastChunk) {
  const RecordingSink sink = top_k({1027}, 7, {7}, DType::f32).lower();
  EXPECT_EQ(push_word(sink.dispatch(0), 5), 4u * 7 + 3);
}

TEST(LowerIndex, TopKNarrowsFp16) {
  const RecordingSink sink = top_k({5}, 3, {3}, DType::f16).integer(Attr::sorted, {0}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).constants, (std::vector<uint32_t>{2, 16, 0, 1, 2}));
  EXPECT_EQ(sink.dispatch(1).shader, "cast");
  EXPECT_EQ(sink.dispatch(1).constants[2], uint32_t(DType::i16));
}

TEST(LowerIndex, ArgMaxOfSeveralIsTopK) {
  const RecordingSink sink = LoweredNode(Op::arg_max)
                                 .input({3, 5}, DType::i8)
                                 .output({3, 2}, DType::i32)
                                 .integer(Attr::top_k, {2})
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().buffers[2].space, vulkan::Buffer::Space::scratch);
  EXPECT_EQ(sink.dispatch().buffers[3].space, vulkan::Buffer::Space::tensor);
}

}  // namespace
}  // namespace nnrt::test
