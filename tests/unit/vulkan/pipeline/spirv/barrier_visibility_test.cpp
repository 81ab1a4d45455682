#include "backends/vulkan/pipeline/spirv/barrier_visibility.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/khr_opcodes.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <map>

namespace nnrt::vulkan {
namespace {

using Words = std::vector<uint32_t>;
constexpr uint32_t kMarks = SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask;
constexpr uint32_t kBoth = SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;

size_t mask_word(uint32_t opcode) {
  const std::map<uint32_t, size_t> masks{
      {SpvOpLoad, 4}, {SpvOpStore, 3}, {SpvOpCooperativeMatrixLoadNV, 6}, {SpvOpCooperativeMatrixStoreNV, 5}};
  const auto known = masks.find(opcode);
  return known == masks.end() ? 0 : known->second;
}

struct Counted {
  size_t instructions = 0, marked = 0, wide_barriers = 0, narrow_barriers = 0;
  uint32_t largest_constant = 0;
};

Counted counted(std::span<const uint32_t> words) {
  Counted all;
  std::map<uint32_t, uint32_t> constants;
  EXPECT_TRUE(spirv::for_each_instruction(words, [&](const spirv::Instruction& i) {
    ++all.instructions;
    if (i.opcode == SpvOpConstant) {
      constants[i[2]] = i[3];
      all.largest_constant = std::max(all.largest_constant, i[2]);
    }
    if (const size_t mask = mask_word(i.opcode); mask != 0 && (i[mask] & kMarks) != 0) {
      ++all.marked;
      EXPECT_EQ(constants.at(i[mask + 1]), SpvScopeWorkgroup);
    }
    if (i.opcode == SpvOpControlBarrier)
      ++((constants.at(i[3]) & kBoth) == kBoth ? all.wide_barriers : all.narrow_barriers);
  }));
  return all;
}

TEST(BarrierVisibility, MovesFromAccessesToBarriers) {
  size_t shaders = 0;
  for (const EmbeddedShader& one : embedded_shaders()) {
    if (!has_nv_matrices(one.words)) continue;
    SCOPED_TRACE(one.name);
    ++shaders;
    const auto rewritten = with_barrier_visibility(one.words);
    ASSERT_TRUE(rewritten);
    const Counted before = counted(one.words), after = counted(*rewritten);
    EXPECT_GT(before.marked, 0u);
    EXPECT_EQ(after.marked, 0u);
    EXPECT_GT(after.wide_barriers, 0u);
    EXPECT_EQ(after.wide_barriers, before.narrow_barriers + before.wide_barriers);
    EXPECT_EQ(after.narrow_barriers, 0u);
    EXPECT_GT(after.instructions, before.instructions);  // constants
    EXPECT_LT(after.largest_constant, (*rewritten)[spirv::kBoundWord]);
    EXPECT_TRUE(with_khr_matrices(*rewritten));
  }
  EXPECT_EQ(shaders, 6u);
}

TEST(BarrierVisibility, RefusesMalformedWords) {
  EXPECT_FALSE(with_barrier_visibility(Words{1, 2, 3}));
  const auto& shaders = embedded_shaders();
  Words cut(shaders[0].words.begin(), shaders[0].words.end());
  cut.push_back(5u << 16 | SpvOpLoad);
  EXPECT_FALSE(with_barrier_visibility(cut));
}

}  // namespace
}  // namespace nnrt::vulkan
