#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Buffer;
using vulkan::Fill;

LoweredNode gather(Shape shape, Shape indices, double axis, DType dtype) {
  LoweredNode node(Op::gather_elements);
  node.input(std::move(shape), dtype).input(indices, DType::i64).integer(Attr::axis, {axis});
  node.output(std::move(indices), dtype);
  return node;
}

TEST(LowerElementIndex, GatherIsOneDispatchOverItsWords) {
  const RecordingSink sink = gather({3, 5, 7}, {3, 4, 7}, -2, DType::f16).lower();
  EXPECT_EQ(sink.dispatch().shader, "gather_elements");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{2, 2, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 9), (std::vector<uint32_t>{84, 3, 1, 5, 1, 0, 3, 4, 7}));
  EXPECT_EQ(push_words(sink.dispatch(), 14, 3), (std::vector<uint32_t>{35, 7, 1}));
  EXPECT_EQ(sink.dispatch().threads[0], 42u);
}

TEST(LowerElementIndex, EightBytesAreTwoWords) {
  const RecordingSink sink = gather({3}, {5}, 0, DType::i64).lower();
  EXPECT_EQ(push_words(sink.dispatch(), 0, 5), (std::vector<uint32_t>{10, 1, 0, 3, 2}));
  EXPECT_EQ(sink.dispatch().threads[0], 10u);
}

LoweredNode scatter(Op op, Shape indices, Shape updates, double reduction = 0) {
  LoweredNode node(op);
  node.input({4, 12}, DType::i8).input(std::move(indices), DType::i32).input(std::move(updates), DType::i8);
  node.integer(Attr::reduction, {reduction}).output({4, 12}, DType::i8);
  return node;
}

TEST(LowerElementIndex, ScatterFindsTheUpdateOfEachElement) {
  const RecordingSink sink = scatter(Op::scatter_elements, {2, 5}, {2, 5}).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.scratches, std::vector<size_t>{48 * 4});
  EXPECT_EQ(sink.command<Fill>(0).word, 0xffffffffu);
  EXPECT_EQ(sink.dispatch(1).shader, "scatter_elements");
  EXPECT_EQ(push_word(sink.dispatch(1), 0), 10u);
  EXPECT_EQ(sink.dispatch(2).shader, "scatter_update");
  EXPECT_EQ(sink.dispatch(2).constants, std::vector<uint32_t>{1});
  EXPECT_EQ(push_words(sink.dispatch(2), 0, 2), (std::vector<uint32_t>{48, 1}));
  EXPECT_EQ(sink.dispatch(2).buffers[0], (Buffer{Buffer::Space::scratch, 0}));
}

TEST(LowerElementIndex, ScattersByTheLargestUnit) {
  const RecordingSink sink = scatter(Op::scatter_nd_update, {2, 1}, {2, 12}).lower();
  EXPECT_EQ(sink.scratches, std::vector<size_t>{4 * 4});
  EXPECT_EQ(sink.dispatch(1).shader, "scatter");
  EXPECT_EQ(sink.dispatch(1).constants, (std::vector<uint32_t>{4, 1, 1}));
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 4), (std::vector<uint32_t>{2, 1, 1, 4}));
  EXPECT_EQ(sink.dispatch(2).constants, std::vector<uint32_t>{4});
  EXPECT_EQ(push_words(sink.dispatch(2), 0, 2), (std::vector<uint32_t>{12, 3}));
}

TEST(LowerElementIndex, UpdatesAreNotCombined) {
  EXPECT_EQ(scatter(Op::scatter_nd_update, {2, 1}, {2, 12}, 1).refusal(),
            "Reductions of updates are not supported on the GPU.");
}

TEST(LowerElementIndex, ElementsBeyondWhatTheDeviceBindsAreRefused) {
  LoweredNode node = scatter(Op::scatter_elements, {2, 5}, {2, 5});
  node.plan.max_storage_range = 191;
  EXPECT_TRUE(node.refusal());
  node.plan.max_storage_range = 192;
  EXPECT_FALSE(node.refusal());
}

TEST(LowerElementIndex, QuantizedTriangleFillsWithZeroPoint) {
  const Quant quant{{0.5}, {-2}};
  const RecordingSink sink = LoweredNode(Op::trilu)
                                 .input({2, 3, 5}, DType::i8, quant)
                                 .output({2, 3, 5}, DType::i8, quant)
                                 .integer(Attr::diagonal, {-0x1p40})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 6),
            (std::vector<uint32_t>{30, 1, 3, 5, uint32_t(-3), 0xfefefefe}));
  EXPECT_EQ(sink.dispatch().threads[0], 8u);
}

}  // namespace
}  // namespace nnrt::test
