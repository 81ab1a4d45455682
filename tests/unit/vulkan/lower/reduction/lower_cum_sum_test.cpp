#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

LoweredNode cum_sum(const Shape& shape, DType dtype) {
  LoweredNode node(Op::cum_sum);
  node.input(shape, dtype).integer(Attr::axis, {1}).integer(Attr::reverse, {1}).output(shape, dtype);
  return node;
}

TEST(LowerCumSum, AnInvocationTakesAShortLine) {
  const RecordingSink sink = cum_sum({3, 5, 7}, DType::i64).lower();
  EXPECT_EQ(sink.dispatch().shader, "cum_sum_i64");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{21, 5, 7}));
  EXPECT_EQ(sink.dispatch().threads[0], 21u);
}

TEST(LowerCumSum, AWorkgroupTakesALongLine) {
  const RecordingSink sink = cum_sum({3, 1000}, DType::f32).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1, 1}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 4), (std::vector<uint32_t>{3, 1000, 1, 16}));
  EXPECT_EQ(sink.dispatch().threads[0], 3u * 64);
}

TEST(LowerCumSum, DoublesAreNotSummedAsFloats) {
  EXPECT_EQ(cum_sum({3, 5}, DType::f64).refusal(), "FLOAT64 is not computed on the GPU.");
  EXPECT_FALSE(cum_sum({3, 5}, DType::f16).refusal());
}

}  // namespace
}  // namespace nnrt::test
