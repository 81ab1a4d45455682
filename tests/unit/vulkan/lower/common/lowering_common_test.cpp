#include "backends/vulkan/lower/common/lowering_common.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

DevicePlan plan_with_groups(uint32_t max) {
  DevicePlan plan;
  plan.max_group_count = {max, max, max};
  return plan;
}

TEST(ThreadsFor, StaysInOneDimensionWhileGroupsFit) {
  EXPECT_EQ(threads_for(7 * 64, plan_with_groups(7)), (Size3{448, 1, 1}));
}

TEST(ThreadsFor, SpillsIntoTheSecondDimension) {
  EXPECT_EQ(threads_for(7 * 64 + 1, plan_with_groups(7)), (Size3{448, 2, 1}));
}

TEST(WordsOf, RoundsUp) {
  EXPECT_EQ(words_of(DType::boolean, 5), 2u);
  EXPECT_EQ(words_of(DType::f16, 3), 2u);
  EXPECT_EQ(words_of(DType::i64, 3), 6u);
}

TEST(CountOf, RejectsCountsBeyondInt32) {
  EXPECT_EQ(count_of({3, 5}).value(), 15u);
  EXPECT_EQ(count_of({65536, 32768}).error().code, Code::unsupported);
}

TEST(Variant, IsEmptyForDtypesWithoutAShader) {
  EXPECT_EQ(variant("unary", DType::f16), "unary_f16");
  EXPECT_EQ(variant("unary", DType::u64), "");
  EXPECT_EQ(refuse_dtype("unary", DType::u64), "UINT64 is not computed on the GPU.");
}

TEST(EmbeddedShaders, AreSortedByName) {
  EXPECT_TRUE(std::ranges::is_sorted(embedded_shaders(), {}, &EmbeddedShader::name));
}

TEST(EmbeddedShaders, AreSpirV) {
  for (const EmbeddedShader& shader : embedded_shaders())
    EXPECT_EQ(shader.words[0], 0x07230203u) << shader.name;
}

}  // namespace
}  // namespace nnrt::vulkan
