#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

LoweredNode dynamic_quantize(const Shape& shape, DType dtype) {
  LoweredNode node(Op::dynamic_quantize);
  node.input(shape, dtype).output(shape, DType::i8).output({}, DType::f32).output({}, DType::i32);
  return node;
}

TEST(LowerDynamicQuantize, CodesFollowTheExtremes) {
  const RecordingSink sink = dynamic_quantize({3, 5, 7}, DType::f32).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  const vulkan::Dispatch& last = sink.dispatch(2);
  EXPECT_EQ(last.shader, "dynamic_quantize");
  EXPECT_EQ(push_words(last, 0, 1), std::vector<uint32_t>{105});
  EXPECT_EQ(last.threads[0], 27u);  // four codes each
  EXPECT_EQ(last.buffers.size(), 6u);
}

TEST(LowerDynamicQuantize, OtherDtypesAreNotComputed) {
  EXPECT_EQ(dynamic_quantize({3, 5}, DType::f64).refusal(), "FLOAT64 is not computed on the GPU.");
}

}  // namespace
}  // namespace nnrt::test
