#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Copy;
using vulkan::Fill;

TEST(LowerCreation, ShapeIsALiteral) {
  const RecordingSink sink =
      LoweredNode(Op::shape).input({3, 5, 7}, DType::f64).output({3}, DType::i32).lower();
  EXPECT_EQ(sink.dispatch().shader, "literal");
  EXPECT_EQ(push_words(sink.dispatch(), 0, 4), (std::vector<uint32_t>{3, 3, 5, 7}));
}

TEST(LowerCreation, RankIsAFill) {
  const RecordingSink sink = LoweredNode(Op::rank).input({3, 5, 7}).output({1}, DType::i32).lower();
  EXPECT_EQ(sink.command<Fill>().word, 3u);
}

TEST(LowerCreation, FillOfAConstantIsAFill) {
  const RecordingSink sink = LoweredNode(Op::fill).floats({1}, {1}).value({3, 5}).output({3, 5}).lower();
  EXPECT_EQ(sink.command<Fill>().word, 0x3f800000u);
}

TEST(LowerCreation, FillOfAComputedValueCopiesItEverywhere) {
  const RecordingSink sink =
      LoweredNode(Op::fill).input({1}, DType::i16).value({3, 5}).output({3, 5}, DType::i16).lower();
  EXPECT_EQ(sink.dispatch().shader, "copy");
  EXPECT_EQ(push_words(sink.dispatch(), 0, 4), (std::vector<uint32_t>{8, 0, 0, 15}));
  EXPECT_EQ(push_word(sink.dispatch(), 11), 0u);
}

TEST(LowerCreation, ConstantOfShapeIsTruncated) {
  const RecordingSink sink = LoweredNode(Op::constant_of_shape)
                                 .value({3, 5})
                                 .output({3, 5}, DType::i8)
                                 .real(Attr::value, -2.9)
                                 .lower();
  EXPECT_EQ(sink.command<Fill>().word, 0xfefefefeu);
}

TEST(LowerCreation, ConstantOfShapeRepeatsEightByteElements) {
  const RecordingSink sink = LoweredNode(Op::constant_of_shape)
                                 .value({3, 5})
                                 .output({3, 5}, DType::i64)
                                 .real(Attr::value, 7)
                                 .lower();
  EXPECT_EQ(sink.dispatch().shader, "copy");
  EXPECT_EQ(sink.constants.at("fill_element")[0], std::byte{7});
}

LoweredNode range(DType dtype, double start, double delta, int64_t count) {
  LoweredNode node(Op::range);
  node.input({1}, dtype).output({count}, dtype);
  node.integer(Attr::start, {start}).integer(Attr::delta, {delta});
  return node;
}

template <typename T>
std::vector<T> range_as(DType dtype, double start, double delta, int64_t count) {
  const Bytes bytes = range(dtype, start, delta, count).lower().constants.at("range");
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(LowerCreation, RangeIsAConstant) {
  const RecordingSink sink = range(DType::i32, 3, 2, 5).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.command<Copy>().pieces[0].bytes, 20u);
}

TEST(LowerCreation, RangeIsOfTheInputsDtype) {
  EXPECT_EQ(range_as<int32_t>(DType::i32, 7, -3, 3), (std::vector<int32_t>{7, 4, 1}));
  EXPECT_EQ(range_as<int64_t>(DType::i64, -1, 2, 3), (std::vector<int64_t>{-1, 1, 3}));
  EXPECT_EQ(range_as<float>(DType::f32, 5, 2, 2), (std::vector<float>{5, 7}));
  EXPECT_EQ(range_as<uint16_t>(DType::f16, 1, 1, 2), (std::vector<uint16_t>{0x3c00, 0x4000}));
}

}  // namespace
}  // namespace nnrt::test
