#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

struct Sizes {
  int64_t heads = 4, key_heads = 4, queries = 5, keys = 7, size = 8, value_size = 8;
};

LoweredNode attention(const Sizes& sizes, DType dtype = DType::f32) {
  LoweredNode node(Op::attention);
  node.input({2, sizes.heads, sizes.queries, sizes.size}, dtype);
  node.input({2, sizes.key_heads, sizes.keys, sizes.size}, dtype);
  node.input({2, sizes.key_heads, sizes.keys, sizes.value_size}, dtype);
  return node;
}

LoweredNode& with_output(LoweredNode& node, const Sizes& sizes, DType dtype = DType::f32) {
  return node.output({2, sizes.heads, sizes.queries, sizes.value_size}, dtype);
}

constexpr uint32_t kInvocations = 32;
enum Constant : size_t { kRows, kMask, kCausal, kKeepsNan };

TEST(LowerAttention, GivesFourQueriesToAWorkgroup) {
  LoweredNode node = attention({});
  const RecordingSink sink = with_output(node, {}).lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "attention_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{4, 0, 0, 0}));
  EXPECT_EQ(push_word(sink.dispatch(), 0), 2u * 4 * 2);
  EXPECT_EQ(sink.dispatch().threads[0] * sink.dispatch().threads[1], 2u * 4 * 2 * kInvocations);
}

TEST(LowerAttention, MakesRowsOfTheHeadsThatShareKeys) {
  const Sizes sizes{.key_heads = 2, .queries = 1};
  LoweredNode node = attention(sizes);
  const RecordingSink sink = with_output(node, sizes).lower();
  EXPECT_EQ(push_word(sink.dispatch(), 0), 2u * 2);
  EXPECT_EQ(push_word(sink.dispatch(), 1), 2u);  // rows
}

TEST(LowerAttention, TakesOneQueryAlone) {
  const Sizes sizes{.queries = 1};
  LoweredNode node = attention(sizes);
  EXPECT_EQ(with_output(node, sizes).lower().dispatch().constants[kRows], 1u);
}

TEST(LowerAttention, DividesLongValuesAmongWorkgroups) {
  const Sizes sizes{.value_size = 264};
  LoweredNode node = attention(sizes);
  EXPECT_EQ(push_word(with_output(node, sizes).lower().dispatch(), 0), 2u * 4 * 2 * 3);
}

TEST(LowerAttention, TakesOddLengthsOneByOne) {
  const Sizes sizes{.size = 7};
  LoweredNode node = attention(sizes);
  EXPECT_EQ(with_output(node, sizes).lower().dispatch().shader, "attention_f32");
}

TEST(LowerAttention, TellsTheKindOfTheMask) {
  for (const DType dtype : {DType::f32, DType::boolean}) {
    LoweredNode node = attention({});
    node.input({5, 7}, dtype).integer(Attr::causal, {1});
    const RecordingSink sink = with_output(node, {}).lower();
    const bool is_flag = dtype == DType::boolean;
    EXPECT_EQ(sink.dispatch().constants[kMask], is_flag ? 2u : 1u);
    EXPECT_EQ(sink.dispatch().constants[kCausal], 1u);
    EXPECT_EQ(sink.dispatch().buffers[is_flag ? 4 : 3].id, 3u);
  }
}

}  // namespace
}  // namespace nnrt::test
