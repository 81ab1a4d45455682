#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

TEST(LowerPoolNd, VectorizesInnermostChannels) {
  const auto dispatch = [](Shape in, Shape out, Format format) {
    LoweredNode node(Op::avg_pool_nd);
    node.input(std::move(in), DType::f32, {}, format).integer(Attr::kernel, {2, 2, 2});
    return node.output(std::move(out)).lower().dispatch();
  };
  EXPECT_EQ(dispatch({1, 3, 3, 3, 8}, {1, 2, 2, 2, 8}, Format::nhwc).shader, "pool_nd_f32_vec4");
  EXPECT_EQ(dispatch({1, 3, 3, 3, 8}, {1, 2, 2, 2, 8}, Format::nhwc).threads, (vulkan::Size3{16, 1, 1}));
  EXPECT_EQ(dispatch({1, 8, 3, 3, 3}, {1, 8, 2, 2, 2}, Format::nchw).shader, "pool_nd_f32");
}

TEST(LowerPoolNd, ReducesAWholeVolume) {
  for (const Op op : {Op::max_pool_nd, Op::avg_pool_nd}) {
    LoweredNode node(op);
    node.input({2, 3, 4, 5, 8}, DType::f32, {}, Format::nhwc).integer(Attr::kernel, {3, 4, 5});
    const RecordingSink sink = node.output({2, 1, 1, 1, 8}).lower();
    EXPECT_EQ(sink.dispatch().shader, "reduce_f32_vec4");
    EXPECT_EQ(push_word(sink.dispatch(), 0), 2u * 2);  // vec4 of results
    EXPECT_EQ(push_word(sink.dispatch(), 1), 3u * 4 * 5);
    EXPECT_EQ(push_word<float>(sink.dispatch(), 5), op == Op::max_pool_nd ? 1 : 60);  // divisor
  }
}

TEST(LowerPoolNd, RefusesPaddingBeyond32BitPlaces) {
  LoweredNode node(Op::max_pool_nd);
  node.input({1, 7, 4}).integer(Attr::kernel, {2000000000}).integer(Attr::pad, {1999999999, 1});
  node.output({1, 8, 4});
  RecordingSink sink;
  EXPECT_FALSE(node.try_lower(sink).ok());
}

TEST(LowerResizeAxes, GoesThroughTheDimensionsThatChange) {
  LoweredNode node(Op::resize);
  node.input({2, 3, 5, 4}).value({2, 6, 7, 4}).integer(Attr::mode, {1});
  const RecordingSink sink = node.output({2, 6, 7, 4}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "resize_axis_f32_vec4");
  EXPECT_EQ(sink.scratches, std::vector<size_t>{2 * 3 * 7 * 4 * sizeof(float)});
  EXPECT_EQ(sink.constants.size(), 2u);
}

TEST(LowerRegions, AreComputedUnlessTheyAreChecked) {
  for (const Op op : {Op::roi_align, Op::roi_pooling}) {
    const auto node = [&](bool strict) {
      return LoweredNode(op)
          .integer(Attr::new_height, {2})
          .integer(Attr::new_width, {3})
          .integer(Attr::strict, {double(strict)})
          .input({1, 5, 6, 8})
          .input({2, 4})
          .input({2}, DType::i64)
          .output({2, 2, 3, 8});
    };
    EXPECT_EQ(node(true).refusal(), "The GPU cannot check regions.");
    EXPECT_FALSE(node(false).refusal());
    EXPECT_EQ(node(false).lower().dispatch().threads[0], 24u);
  }
}

TEST(LowerBboxTransform, IsABoxOfAClassAnInvocation) {
  const RecordingSink sink = LoweredNode(Op::axis_aligned_bbox_transform)
                                 .integer(Attr::strict, {0})
                                 .input({5, 4})
                                 .input({5, 12})
                                 .input({5}, DType::i32)
                                 .input({2, 2})
                                 .output({5, 12})
                                 .lower();
  EXPECT_EQ(sink.dispatch().shader, "bbox_transform_f32");
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{15, 3, 2}));
}

TEST(LowerResizeAxes, IsTheInputWhereNoDimensionChanges) {
  LoweredNode node(Op::resize);
  const RecordingSink sink = node.input({3, 5}).value({3, 5}).output({3, 5}).lower();
  EXPECT_TRUE(is_whole_copy(sink, 0, 60));
}

TEST(LowerCol2im, RefusesPicturesOfMoreThanThreeDimensions) {
  const auto refusal = [](const std::vector<int32_t>& size) {
    LoweredNode node(Op::col2im);
    return node.input({1, 2, 3}).value(size).output({}).refusal();
  };
  EXPECT_EQ(refusal({4, 4, 4, 4}), "COL2IM over 4 dimensions is not supported on the GPU.");
  EXPECT_EQ(refusal({4, 4, 4}), std::nullopt);
}

TEST(LowerGridSample, KnowsHowManyNumbersAPointHas) {
  LoweredNode node(Op::grid_sample);
  node.input({1, 3, 3, 3, 2}, DType::f32, {}, Format::nhwc).input({1, 2, 2, 2, 3}).output({1, 2, 2, 2, 2});
  EXPECT_EQ(node.lower().dispatch().constants, (std::vector<uint32_t>{0, 0, 0, 3}));
}

}  // namespace
}  // namespace nnrt::test
