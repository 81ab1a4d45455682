#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

TEST(LowerPool, TakesFourChannelsAtOnceWhereItCan) {
  LoweredNode node(Op::max_pool);
  node.plan.is_software = true;
  node.input({1, 7, 7, 8}).integer(Attr::kernel, {2, 2}).integer(Attr::stride, {2, 2}).output({1, 3, 3, 8});
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch().shader, "pool_f32_vec4");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{18, 1, 1}));
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1}));
}

TEST(LowerPool, TakesSingleChannelsWhereTheirNumberIsOdd) {
  LoweredNode node(Op::max_pool);
  const RecordingSink sink =
      node.input({1, 8, 8, 3}).integer(Attr::kernel, {8, 7}).output({1, 1, 2, 3}).lower();
  EXPECT_EQ(sink.dispatch().shader, "pool_f32");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{6, 1, 1}));
}

vulkan::Dispatch pooled(bool is_software, int64_t kernel, int64_t stride, int64_t out) {
  LoweredNode node(Op::max_pool);
  node.plan.is_software = is_software;
  node.input({2, 17, 17, 8}).integer(Attr::kernel, {double(kernel), double(kernel)});
  node.integer(Attr::stride, {double(stride), double(stride)}).output({2, out, out, 8});
  return node.lower().dispatch();
}

TEST(LowerPool, GoesByRowsWhereWindowsOfThreeOverlap) {
  EXPECT_EQ(pooled(true, 3, 1, 15).shader, "pool_rows_f32_vec4");
  EXPECT_EQ(pooled(true, 3, 1, 15).constants, (std::vector<uint32_t>{0, 1, 1, 3, 4, 0}));
  EXPECT_EQ(pooled(true, 3, 2, 8).constants, (std::vector<uint32_t>{0, 1, 2, 3, 4, 0}));
  // Two images, two chunks of rows, two tiles of a row, two vec4 of channels.
  EXPECT_EQ(pooled(true, 3, 2, 8).threads, (vulkan::Size3{2 * 2 * 2 * 2, 1, 1}));
  EXPECT_EQ(pooled(true, 3, 3, 5).shader, "pool_f32_vec4");
}

TEST(LowerPool, UsesShorterStripsOnGpus) {
  EXPECT_EQ(pooled(false, 3, 2, 8).constants, (std::vector<uint32_t>{0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(pooled(false, 3, 2, 8).threads, (vulkan::Size3{2 * 8 * 4 * 2, 1, 1}));
  EXPECT_EQ(pooled(false, 2, 2, 8).constants, (std::vector<uint32_t>{0, 1, 2, 2, 2, 1}));
  EXPECT_EQ(pooled(false, 3, 3, 5).shader, "pool_f32_vec4");
}

TEST(LowerPool, GlobalAverageIsAReduction) {
  LoweredNode node(Op::avg_pool);
  const RecordingSink sink =
      node.input({2, 40, 40, 8}).integer(Attr::global, {1}).output({2, 1, 1, 8}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);  // partial results, then the final ones
  EXPECT_EQ(sink.dispatch(0).shader, "reduce_f32_vec4");
}

TEST(LowerPool, GlobalMaximumIsAReduction) {
  LoweredNode node(Op::max_pool);
  const RecordingSink sink =
      node.input({2, 40, 40, 8}).integer(Attr::global, {1}).output({2, 1, 1, 8}).lower();
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "reduce_f32_vec4");
  EXPECT_EQ(sink.dispatch(0).constants[0], 2u);  // MAXIMUM of reduce.comp
}

const Quant kFrom{{0.5}, {3}}, kTo{{0.25}, {-7}};

RecordingSink pooled_int8(const Shape& in, const Shape& out, double kernel, bool is_software = false) {
  LoweredNode node(Op::max_pool);
  node.plan.is_software = is_software;
  node.input(in, DType::i8, kFrom).integer(Attr::kernel, {kernel, kernel});
  node.integer(Attr::stride, {kernel, kernel}).output(out, DType::i8, kTo);
  return node.lower();
}

TEST(LowerPool, ReadsAndWritesInt8InOneDispatch) {
  const RecordingSink sink = pooled_int8({1, 8, 8, 12}, {1, 4, 4, 12}, 2);
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "pool_int8");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{4 * 4 * 3, 1, 1}));
}

TEST(LowerPool, SplitsLargeInt8WindowsOnGpus) {
  EXPECT_EQ(pooled_int8({1, 7, 7, 8}, {1, 1, 1, 8}, 7).dispatch().constants, (std::vector<uint32_t>{1, 16}));
  EXPECT_EQ(pooled_int8({1, 7, 7, 8}, {1, 1, 1, 8}, 7).dispatch().threads, (vulkan::Size3{2 * 16, 1, 1}));
}

TEST(LowerPool, DequantizesInt8OnSoftwareDrivers) {
  EXPECT_EQ(pooled_int8({1, 8, 8, 12}, {1, 4, 4, 12}, 2, true).commands.size(), 3u);
}

TEST(LowerPool, DequantizesInt8WhoseChannelsFillNoWords) {
  const RecordingSink sink = pooled_int8({1, 8, 8, 6}, {1, 4, 4, 6}, 2);
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(1).shader, "pool_f32");
}

TEST(LowerPool, RefusesPaddingBeyond32BitPlaces) {
  LoweredNode node(Op::max_pool);
  node.input({1, 7, 7, 4}).integer(Attr::kernel, {2000000000, 1}).integer(Attr::pad, {1999999999, 1, 0, 0});
  node.output({1, 8, 7, 4});
  RecordingSink sink;
  EXPECT_FALSE(node.try_lower(sink).ok());
}

struct Coordinates {
  int64_t mode;
  uint32_t multiplier, divisor, addend;
};
class LowerResize : public testing::TestWithParam<Coordinates> {};

TEST_P(LowerResize, PushesCoordinatesAsFractions) {
  LoweredNode node(Op::resize_bilinear);
  node.input({1, 5, 1, 4}).integer(Attr::new_height, {11}).integer(Attr::new_width, {1});
  const RecordingSink sink =
      node.integer(Attr::coordinate_mode, {double(GetParam().mode)}).output({1, 11, 1, 4}).lower();
  EXPECT_EQ(push_word(sink.dispatch(), 6), GetParam().multiplier);
  EXPECT_EQ(push_word(sink.dispatch(), 8), GetParam().divisor);
  EXPECT_EQ(push_word(sink.dispatch(), 10), GetParam().addend);
}

INSTANTIATE_TEST_SUITE_P(Modes, LowerResize,
                         testing::Values(Coordinates{0, 5, 11, 0}, Coordinates{1, 4, 10, 0},
                                         Coordinates{2, 10, 22, uint32_t(5 - 11)}));

}  // namespace
}  // namespace nnrt::test
