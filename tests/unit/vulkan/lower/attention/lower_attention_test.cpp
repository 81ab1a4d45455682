#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

struct Sizes {
  int64_t heads = 4, key_heads = 4, queries = 5, keys = 7, size = 8, value_size = 8;
};

// On a software driver, where attention of few rows is not split.
LoweredNode attention(const Sizes& sizes, DType dtype = DType::f32) {
  LoweredNode node(Op::attention);
  node.input({2, sizes.heads, sizes.queries, sizes.size}, dtype);
  node.input({2, sizes.key_heads, sizes.keys, sizes.size}, dtype);
  node.input({2, sizes.key_heads, sizes.keys, sizes.value_size}, dtype);
  node.plan.is_software = true;
  return node;
}

LoweredNode& with_output(LoweredNode& node, const Sizes& sizes, DType dtype = DType::f32) {
  return node.output({2, sizes.heads, sizes.queries, sizes.value_size}, dtype);
}

// On a GPU with this many cores.
RecordingSink on_gpu(const Sizes& sizes, uint32_t cores, uint32_t shared_bytes = 32768,
                     uint32_t registers = 256) {
  LoweredNode node = attention(sizes);
  node.plan.is_software = false;
  node.plan.cores = cores;
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = shared_bytes;
  node.plan.max_registers = registers;
  return with_output(node, sizes).lower();
}

constexpr uint32_t kInvocations = 32;
enum Constant : size_t { kRows, kMask, kCausal, kKeepsNan, kValues };

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

TEST(LowerAttention, PicksLargestTilesThatFillTheCores) {
  const Sizes sizes{.queries = 64, .keys = 64, .size = 64, .value_size = 64};  // 8 matrices
  EXPECT_EQ(on_gpu(sizes, 12).choices[0].name, "attention_tile_64");
  EXPECT_EQ(on_gpu(sizes, 24).choices[0].name, "attention_tile_32");
  const RecordingSink sink = on_gpu(sizes, 100);
  EXPECT_EQ(sink.choices[0].name, "attention_tile_16");
  EXPECT_EQ(sink.dispatch().shader, "attention_tile_f32_vec4");
  EXPECT_EQ(sink.dispatch().constants[kRows], 16u);
  EXPECT_EQ(sink.dispatch().constants[kValues], 2u);
  EXPECT_EQ(push_word(sink.dispatch(), 0), 8u * 4);
  EXPECT_EQ(sink.dispatch().local[0], 32u);
}

TEST(LowerAttention, TakesSmallerTilesWhereSharedMemoryIsScarce) {
  const Sizes sizes{.queries = 64, .size = 64, .value_size = 64};
  EXPECT_EQ(on_gpu(sizes, 1, 16384).choices[0].name, "attention_tile_32");
  EXPECT_EQ(on_gpu(sizes, 1, 1024).choices[0].name, "attention_rows");
}

// fp16 on a GPU with cooperative matrices.
RecordingSink by_matrices(const Sizes& sizes, uint32_t cores, uint32_t subgroup = 32) {
  LoweredNode node = attention(sizes, DType::f16);
  node.plan.is_software = false;
  node.plan.cores = cores;
  node.plan.max_group_invocations = 1024;
  node.plan.max_shared_bytes = 49152;
  node.plan.fp16_storage = true;
  node.plan.matrices.fp16 = {16, 16, 16};
  node.plan.matrices.subgroup = subgroup;
  return with_output(node, sizes, DType::f16).lower();
}

TEST(LowerAttention, HasNoMoreRowsThanInvocations) {
  const Sizes sizes{.queries = 64, .keys = 65, .size = 72, .value_size = 72};
  EXPECT_EQ(by_matrices(sizes, 12, 8).choices[0].name, "attention_matrix_32");
}

TEST(LowerAttention, Fp16PicksLargestTilesThatFillTheDevice) {
  const Sizes sizes{.queries = 64, .keys = 65, .size = 72, .value_size = 72};  // 8 matrices
  EXPECT_EQ(by_matrices(sizes, 12).choices[0].name, "attention_matrix_64");
  EXPECT_EQ(by_matrices(sizes, 24).choices[0].name, "attention_matrix_32");
  const RecordingSink sink = by_matrices(sizes, 100, 64);
  EXPECT_EQ(sink.choices[0].name, "attention_matrix_16");
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "attention_matrix");
  // Rows, no mask, and so on; the device's matrices; value blocks of 64 elements; no transposed values.
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{16, 0, 0, 0, 64, 16, 16, 16, 2, 0}));
  EXPECT_EQ(sink.dispatch().local[0], 256u);
  EXPECT_EQ(push_word(sink.dispatch(), 0), 8u * 4);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(sink.dispatch().buffers[i], (vulkan::Buffer{vulkan::Buffer::Space::tensor, i}));
  EXPECT_EQ(sink.dispatch().fp16_bindings & 0b100000u, 0b100000u);
}

TEST(LowerAttention, DividesLongValuesAmongWorkgroupsWithMatrices) {
  const RecordingSink sink = by_matrices({.queries = 64, .size = 64, .value_size = 264}, 1);
  EXPECT_EQ(sink.dispatch().constants[8], 2u);
  EXPECT_EQ(push_word(sink.dispatch(), 9), 3u);  // blocks of parts
}

TEST(LowerAttention, DeclinesFewRowsAndOddLengths) {
  EXPECT_EQ(by_matrices({.queries = 8}, 1).choices[0].name, "attention_decode");
  EXPECT_EQ(by_matrices({.queries = 64, .size = 12}, 1).choices[0].name, "attention_tile_64");
  EXPECT_EQ(by_matrices({.queries = 64, .value_size = 12}, 1).choices[0].name, "attention_tile_64");
}

TEST(LowerAttention, DividesValuesAmongTiles) {
  const Sizes sizes{.queries = 64, .value_size = 132};
  const RecordingSink sink = on_gpu(sizes, 1);
  EXPECT_EQ(sink.dispatch().constants[kValues], 4u);
  EXPECT_EQ(push_word(sink.dispatch(), 9), 2u);  // blocks of parts
  const RecordingSink few = on_gpu(sizes, 1, 65536, 132);
  EXPECT_EQ(few.dispatch().constants[kValues], 1u);
  EXPECT_EQ(push_word(few.dispatch(), 9), 5u);
}

TEST(LowerAttention, RowsOfATileDependOnRegisters) {
  const Sizes sizes{.queries = 64, .keys = 64, .size = 64, .value_size = 64};
  const auto tile = [&](uint32_t registers, bool is_causal) {
    LoweredNode node = attention(sizes);
    node.plan.is_software = false;
    node.plan.cores = 100;
    node.plan.max_group_invocations = 1024;
    node.plan.max_shared_bytes = 32768;
    node.plan.max_registers = registers;
    if (is_causal) node.integer(Attr::causal, {1});
    return with_output(node, sizes).lower().choices[0].name;
  };
  EXPECT_EQ(tile(256, false), "attention_tile_16");
  EXPECT_EQ(tile(128, false), "attention_tile_32");
  EXPECT_EQ(tile(128, true), "attention_tile_64");
  EXPECT_EQ(tile(96, false), "attention_tile_16");  // all would spill
}

TEST(LowerAttention, SplitsKeysWhenCoresWouldIdle) {
  const Sizes sizes{.queries = 1, .keys = 4096, .size = 64, .value_size = 62};
  const RecordingSink sink = on_gpu(sizes, 40);  // 8 workgroups
  ASSERT_EQ(sink.choices.size(), 2u);
  EXPECT_EQ(sink.choices[0].name, "attention_decode");
  EXPECT_EQ(sink.choices[1].name, "split_keys");
  ASSERT_EQ(sink.commands.size(), 2u);
  EXPECT_EQ(sink.dispatch(0).shader, "attention_decode_f32_split");
  EXPECT_EQ(push_word(sink.dispatch(0), 0), 8u * 8);
  EXPECT_EQ(push_words(sink.dispatch(0), 16, 2), (std::vector<uint32_t>{8, 512}));
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{8 * 8 * 16 * 16, 8 * 8 * 2 * 4}));
  EXPECT_EQ(push_words(sink.dispatch(1), 0, 5), (std::vector<uint32_t>{8 * 16, 8, 8, 62, 16}));
}

TEST(LowerAttention, ManyQueriesDoNotSplitKeys) {
  const RecordingSink sink = on_gpu({.queries = 1, .keys = 4096}, 2);
  EXPECT_EQ(sink.choices[1].name, "unsplit_keys");
  EXPECT_EQ(sink.commands.size(), 1u);
}

}  // namespace
}  // namespace nnrt::test
