#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

// Words of the push constants of softmax.comp and norm.comp.
enum Word : size_t { rows, length, inner, channels, run, width };
// The constant for how vectors read scale and shift.
enum Form : uint32_t { vectors = 1, splat };

TEST(LowerSoftmax, TakesTheLastAxisInVec4) {
  LoweredNode node(Op::softmax);
  const RecordingSink sink = node.input({3, 8}).output({3, 8}).lower();
  EXPECT_EQ(sink.dispatch().shader, "softmax_f32_vec4_row");
  EXPECT_EQ(push_word(sink.dispatch(), rows), 3u);
  EXPECT_EQ(push_word(sink.dispatch(), length), 2u);
}

TEST(LowerSoftmax, TakesAMiddleAxisOverFourNeighbours) {
  LoweredNode node(Op::softmax);
  const RecordingSink sink = node.input({3, 5, 8}).integer(Attr::axis, {1}).output({3, 5, 8}).lower();
  EXPECT_EQ(sink.dispatch().shader, "softmax_f32_vec4");
  EXPECT_EQ(push_word(sink.dispatch(), rows), 6u);
  EXPECT_EQ(push_word(sink.dispatch(), inner), 2u);
}

TEST(LowerLogSoftmax, IsASoftmaxWithALogarithm) {
  LoweredNode node(Op::log_softmax);
  const RecordingSink sink = node.input({3, 7}).output({3, 7}).lower();
  EXPECT_EQ(sink.dispatch().shader, "softmax_f32");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 0}));
}

TEST(LowerSoftmax, ZerosNanOnRequest) {
  LoweredNode node(Op::softmax);
  const RecordingSink sink = node.input({3, 7}).output({3, 7}).integer(Attr::zero_nan, {1}).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1}));
}

RecordingSink softmax(const Shape& shape, int64_t axis, uint32_t cores, bool subgroups = true) {
  LoweredNode node(Op::softmax);
  node.plan.max_group_invocations = 1024;
  node.plan.cores = cores;
  node.plan.subgroup_arithmetic = subgroups;
  return node.input(shape).integer(Attr::axis, {double(axis)}).output(shape).lower();
}

TEST(LowerSoftmax, SharesALongRowAmongSubgroups) {
  const RecordingSink sink = softmax({3, 1000}, -1, 16);
  EXPECT_EQ(sink.dispatch().shader, "softmax_f32_vec4_row_subgroups");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(sink.dispatch().local, (vulkan::Size3{128, 1, 1}));
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{3 * 128, 1, 1}));
  EXPECT_EQ(softmax({3, 1000}, -1, 16, false).dispatch().shader, "softmax_f32_vec4_row_group");
  EXPECT_EQ(softmax({3, 1001}, -1, 16).dispatch().shader, "softmax_f32_subgroups");
}

TEST(LowerSoftmax, HasNeighbouringRowsInAWorkgroup) {
  const RecordingSink sink = softmax({2, 100, 64}, 1, 16);
  EXPECT_EQ(sink.dispatch().shader, "softmax_f32_vec4_group");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 0, 8}));
  EXPECT_EQ(sink.dispatch().local, (vulkan::Size3{256, 1, 1}));
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{32 / 8 * 256, 1, 1}));
}

TEST(LowerSoftmax, SplitsOnlyFewLongRows) {
  EXPECT_EQ(softmax({3, 40}, -1, 16).dispatch().shader, "softmax_f32_vec4_row");
  EXPECT_EQ(softmax({64, 100, 4096}, 1, 16).dispatch().shader, "softmax_f32_vec4");
  EXPECT_EQ(softmax({64, 100, 4096}, 1, 132).dispatch().shader, "softmax_f32_vec4_group");
}

TEST(LowerLayerNorm, ScalesAlongTheNormalizedDimensions) {
  LoweredNode node(Op::layer_norm);
  const RecordingSink sink = node.input({5, 3, 8}).input({3, 8}).input({3, 8}).output({5, 3, 8}).lower();
  EXPECT_EQ(sink.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, vectors, 1}));
  EXPECT_EQ(push_word(sink.dispatch(), rows), 5u);
  EXPECT_EQ(push_word(sink.dispatch(), length), 6u);
}

TEST(LowerInstanceNorm, HasItsChannelsLastOnlyInNhwc) {
  const RecordingSink nhwc = LoweredNode(Op::instance_norm)
                                 .input({2, 3, 5, 7}, DType::f32, {}, Format::nhwc)
                                 .input({7})
                                 .input({7})
                                 .output({2, 3, 5, 7})
                                 .lower();
  EXPECT_EQ(push_word(nhwc.dispatch(), rows), 14u);
  EXPECT_EQ(push_word(nhwc.dispatch(), length), 15u);
  const RecordingSink none =
      LoweredNode(Op::instance_norm).input({2, 3, 5, 7}).input({3}).input({3}).output({2, 3, 5, 7}).lower();
  EXPECT_EQ(push_word(none.dispatch(), rows), 6u);
  EXPECT_EQ(push_word(none.dispatch(), channels), 3u);
}

// Every vector of the data is then within one channel.
TEST(LowerInstanceNorm, BroadcastsScalarScale) {
  const RecordingSink one = LoweredNode(Op::instance_norm)
                                .input({1, 2, 2, 1}, DType::f32, {}, Format::nhwc)
                                .input({1})
                                .input({1})
                                .output({1, 2, 2, 1})
                                .lower();
  EXPECT_EQ(one.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(one.dispatch().constants, (std::vector<uint32_t>{0, 2, splat, 1}));
  const RecordingSink nchw =
      LoweredNode(Op::instance_norm).input({1, 3, 2, 2}).input({3}).input({3}).output({1, 3, 2, 2}).lower();
  EXPECT_EQ(nchw.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(nchw.dispatch().constants, (std::vector<uint32_t>{0, 3, splat, 1}));
  const RecordingSink nhwc = LoweredNode(Op::instance_norm)
                                 .input({1, 2, 2, 8}, DType::f32, {}, Format::nhwc)
                                 .input({8})
                                 .input({8})
                                 .output({1, 2, 2, 8})
                                 .lower();
  EXPECT_EQ(nhwc.dispatch().shader, "norm_f32_vec4");
  EXPECT_EQ(nhwc.dispatch().constants, (std::vector<uint32_t>{0, 2, vectors, 1}));
}

TEST(LowerRmsNorm, HasNoMeanAndNoShift) {
  const RecordingSink sink = LoweredNode(Op::rms_norm).input({5, 3, 8}).input({8}).output({5, 3, 8}).lower();
  EXPECT_EQ(sink.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, vectors, 0}));
  EXPECT_EQ(push_word(sink.dispatch(), rows), 15u);
}

RecordingSink group_norm(const Shape& shape, int64_t channels, Format format, bool is_software = false) {
  LoweredNode node(Op::group_norm);
  node.plan.is_software = is_software;
  node.plan.max_group_invocations = 1024;
  return node.input(shape, DType::f32, {}, format)
      .input({channels})
      .input({channels})
      .integer(Attr::group, {2})
      .output(shape)
      .lower();
}

struct Row {
  uint32_t length = 0, run = 0, width = 0;

  bool operator==(const Row&) const = default;
};
Row row_of(const RecordingSink& sink) {
  const vulkan::Dispatch& dispatch = sink.dispatch();
  return {push_word(dispatch, length), push_word(dispatch, run), push_word(dispatch, width)};
}

TEST(LowerGroupNorm, ScalesAlongPlanesOrPixels) {
  const RecordingSink nchw = group_norm({3, 6, 2, 2}, 6, Format::nchw);
  EXPECT_EQ(nchw.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(nchw.dispatch().constants, (std::vector<uint32_t>{0, 4, splat, 1}));
  EXPECT_EQ(row_of(nchw), (Row{.length = 3, .run = 1, .width = 3}));
  const RecordingSink nhwc = group_norm({3, 2, 2, 16}, 16, Format::nhwc);
  EXPECT_EQ(nhwc.dispatch().shader, "norm_f32_vec4_row");
  EXPECT_EQ(nhwc.dispatch().constants, (std::vector<uint32_t>{0, 5, vectors, 1}));
  EXPECT_EQ(row_of(nhwc), (Row{.length = 8, .run = 2, .width = 2}));
}

// A vector would span several groups or channels.
TEST(LowerGroupNorm, TakesSingleElementsWhereVectorsAreMixed) {
  EXPECT_EQ(group_norm({3, 2, 2, 6}, 6, Format::nhwc).dispatch().shader, "norm_f32");
  EXPECT_EQ(group_norm({3, 2, 2, 2}, 2, Format::nhwc).dispatch().shader, "norm_f32");
  EXPECT_EQ(group_norm({3, 8, 3, 3}, 8, Format::nchw).dispatch().shader, "norm_f32_group");
}

TEST(LowerNorm, SharesFewLongRowsAmongAWorkgroup) {
  const RecordingSink gpu = group_norm({1, 8, 32, 32}, 8, Format::nchw);
  EXPECT_EQ(gpu.dispatch().shader, "norm_f32_vec4_row_group");
  EXPECT_EQ(gpu.dispatch().constants, (std::vector<uint32_t>{0, 4, splat, 1, 1}));
  EXPECT_EQ(gpu.dispatch().local, (vulkan::Size3{256, 1, 1}));
  EXPECT_EQ(gpu.dispatch().threads, (vulkan::Size3{512, 1, 1}));
  EXPECT_EQ(group_norm({1, 8, 32, 32}, 8, Format::nchw, true).dispatch().shader, "norm_f32_vec4_row");
}

TEST(LowerL2Normalize, TakesAllDimensionsWhereNoAxisIsGiven) {
  LoweredNode node(Op::l2_normalize);
  const RecordingSink sink = node.input({3, 5}).output({3, 5}).lower();
  EXPECT_EQ(push_word(sink.dispatch(), rows), 1u);
  EXPECT_EQ(push_word(sink.dispatch(), length), 15u);
}

TEST(LowerL2Normalize, BringsAxesThatAreApartTogetherAndBack) {
  LoweredNode node(Op::l2_normalize);
  const RecordingSink sink = node.input({3, 50, 7}).integer(Attr::axes, {0, -1}).output({3, 50, 7}).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(0).shader, "copy");
  EXPECT_EQ(push_word(sink.dispatch(1), rows), 50u);
  EXPECT_EQ(push_word(sink.dispatch(1), length), 21u);
  EXPECT_EQ(sink.dispatch(2).shader, "copy");
}

TEST(LowerLrn, LetsARadiusBeAnything) {
  LoweredNode node(Op::lrn);
  const RecordingSink sink =
      node.input({1, 2, 2, 5}).integer(Attr::radius, {1e15}).output({1, 2, 2, 5}).lower();
  EXPECT_EQ(push_word(sink.dispatch(), 2), 5u);
}

}  // namespace
}  // namespace nnrt::test
