#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

enum Word : size_t { count, length, pairs, dims, strides = dims + 8 };

vulkan::Dispatch lowered(const Shape& shape, const Shape& angles) {
  return LoweredNode(Op::rotary_embedding)
      .input(shape)
      .input(angles)
      .input(angles)
      .output(shape)
      .lower()
      .dispatch();
}

TEST(LowerRotaryEmbedding, TakesFourPairsAtOnceWhereRowsDivide) {
  const vulkan::Dispatch whole = lowered({2, 3, 5, 16}, {5, 8});
  EXPECT_EQ(whole.shader, "rotary_embedding_f32_vec4");
  EXPECT_EQ(push_word(whole, count), 60u);
  EXPECT_EQ(push_word(whole, length), 4u);
  EXPECT_EQ(push_word(whole, pairs), 2u);
  EXPECT_EQ(lowered({2, 3, 5, 12}, {5, 6}).shader, "rotary_embedding_f32");
}

// One invocation per pair and per unrotated element.
TEST(LowerRotaryEmbedding, CopiesElementsThatBelongToNoPair) {
  const vulkan::Dispatch part = lowered({3, 7}, {3, 2});
  EXPECT_EQ(push_word(part, count), 3u * (2 + 3));
}

TEST(LowerRotaryEmbedding, BroadcastsAngles) {
  const vulkan::Dispatch heads = lowered({2, 3, 5, 8}, {2, 1, 5, 4});
  EXPECT_EQ(heads.constants, (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(push_word(heads, strides), 5u);
  EXPECT_EQ(push_word(heads, strides + 1), 0u);
  EXPECT_EQ(push_word(heads, strides + 2), 1u);
}

}  // namespace
}  // namespace nnrt::test
