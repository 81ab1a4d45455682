#include "backends/vulkan/pipeline/spirv/prune_shader.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"
#include "core/base/text.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <cstring>
#include <spirv-tools/libspirv.hpp>

namespace nnrt::vulkan {
namespace {

using Words = std::vector<uint32_t>;

const EmbeddedShader& shader(std::string_view name) {
  return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

size_t count(const Words& words, std::initializer_list<uint32_t> opcodes) {
  size_t found = 0;
  spirv::for_each_instruction(
      words, [&](const spirv::Instruction& i) { found += std::ranges::count(opcodes, i.opcode); });
  return found;
}

std::string fault_of(const Words& words) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  std::string fault;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { fault = message; });
  spvtools::ValidatorOptions options;
  options.SetWorkgroupScalarBlockLayout(true);
  return tools.Validate(words.data(), words.size(), options) ? "" : fault;
}

Words assembled(const std::string& text) {
  Words words;
  EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_2).Assemble(text, &words));
  return words;
}

// Whatever the constants are.
TEST(PruneShader, LeavesEveryShaderValid) {
  const Words lists[] = {{64, 1, 1},
                         {32, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                         {64, 1, 1, 2, 3, 3, 1, 28, 2, 7, 3, 105, 0, 53, 1, 5},
                         {64, 1, 1, 105, 0, 0, 64, 64, 2, 1}};
  for (const EmbeddedShader& one : embedded_shaders()) {
    for (const Words& values : lists) {
      const auto pruned = prune(one.words, values);
      ASSERT_TRUE(pruned) << one.name;
      EXPECT_LE(pruned->size(), one.words.size() * 2) << one.name;
      EXPECT_EQ(fault_of(*pruned), "")
          << one.name << " with constant 3 = " << (values.size() > 3 ? values[3] : 0);
    }
  }
}

TEST(PruneShader, TreatsMatricesOfBothExtensionsAlike) {
  const Words values{64, 1, 1, 105, 0, 0, 64, 64, 2, 1};
  const auto instructions = [](const Words& words) {
    size_t all = 0;
    spirv::for_each_instruction(words, [&](const spirv::Instruction&) { ++all; });
    return all;
  };
  for (const EmbeddedShader& one : embedded_shaders()) {
    if (one.khr_words.empty()) continue;
    const auto nv = prune(one.words, values), khr = prune(one.khr_words, values);
    ASSERT_TRUE(nv && khr) << one.name;
    EXPECT_EQ(instructions(*khr), instructions(*nv) + 3) << one.name;  // constants
  }
}

TEST(PruneShader, KeepsOneSwitchCasePerClone) {
  constexpr uint32_t kNeg = 84;
  const auto& unary = shader("unary_f32");
  const auto pruned = prune(unary.words, Words{64, 1, 1, kNeg});
  ASSERT_TRUE(pruned);
  EXPECT_LT(pruned->size() * 2, unary.words.size());
  EXPECT_EQ(count(*pruned, {SpvOpExtInst}), 0u);  // exponentials, roots and so on
}

TEST(PruneShader, RejectsInvalidSpirv) {
  EXPECT_FALSE(prune(Words{1, 2, 3, 4, 5, 6}, {}));
  const auto& words = shader("unary_f32").words;
  EXPECT_FALSE(prune(words.first(words.size() - 1), {}));
}

// A switch with a break in a nested branch, a condition whose other side is not constant, and a loop that a
// constant leaves at once.
constexpr const char* kDecided = R"(
  OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %main "main"
  OpExecutionMode %main LocalSize 1 1 1
  OpDecorate %op SpecId 3
  OpDecorate %sum NoContraction
  %void = OpTypeVoid
  %bool = OpTypeBool
  %uint = OpTypeInt 32 0
  %float = OpTypeFloat 32
  %nothing = OpTypeFunction %void
  %function = OpTypeFunction %float %uint %float
  %op = OpSpecConstant %uint 0
  %one = OpConstant %uint 1
  %zero = OpConstant %float 0
  %next = OpSpecConstantOp %uint IAdd %op %one
  %main = OpFunction %void None %nothing
  %m0 = OpLabel
  %a = OpFunctionCall %float %f %op %zero
  %b = OpFunctionCall %float %f %next %a
  %c = OpFunctionCall %float %f %op %b
  OpReturn
  OpFunctionEnd
  %f = OpFunction %float None %function
  %which = OpFunctionParameter %uint
  %x = OpFunctionParameter %float
  %f0 = OpLabel
  OpSelectionMerge %f9 None
  OpSwitch %which %f9 1 %f1 2 %f4
  %f1 = OpLabel
  %is_less = OpFOrdLessThan %bool %x %zero
  OpSelectionMerge %f3 None
  OpBranchConditional %is_less %f2 %f3
  %f2 = OpLabel
  OpBranch %f9
  %f3 = OpLabel
  %sum = OpFAdd %float %x %x
  OpReturnValue %sum
  %f4 = OpLabel
  %product = OpFMul %float %x %x
  OpReturnValue %product
  %f9 = OpLabel
  %is_one = OpIEqual %bool %which %one
  OpSelectionMerge %f7 None
  OpBranchConditional %is_one %f7 %f6
  %f6 = OpLabel
  %is_more = OpFOrdGreaterThan %bool %x %zero
  OpBranch %f7
  %f7 = OpLabel
  %both = OpPhi %bool %is_one %f9 %is_more %f6
  OpSelectionMerge %f11 None
  OpBranchConditional %both %f10 %f11
  %f10 = OpLabel
  %quotient = OpFDiv %float %x %x
  OpReturnValue %quotient
  %f11 = OpLabel
  OpReturnValue %x
  OpFunctionEnd
)";

TEST(PruneShader, FollowsConstantsThroughCallsAndPhis) {
  const Words words = assembled(kDecided);
  ASSERT_EQ(fault_of(words), "");
  const auto ones = prune(words, Words{1, 1, 1, 1});  // and 2 in the second call
  ASSERT_TRUE(ones);
  EXPECT_EQ(fault_of(*ones), "");
  EXPECT_EQ(count(*ones, {SpvOpFunction}), 3u);  // the first and the third call share a clone
  EXPECT_EQ(count(*ones, {SpvOpFAdd}), 1u);
  EXPECT_EQ(count(*ones, {SpvOpFMul}), 1u);
  EXPECT_EQ(count(*ones, {SpvOpFDiv}), 1u);
  EXPECT_EQ(count(*ones, {SpvOpFOrdGreaterThan}), 0u);  // the phi is known to be true
  EXPECT_EQ(count(*ones, {SpvOpDecorate}), 2u);
  const auto neither = prune(words, Words{1, 1, 1, 7});
  ASSERT_TRUE(neither);
  EXPECT_EQ(fault_of(*neither), "");
  EXPECT_EQ(count(*neither, {SpvOpFAdd, SpvOpFMul}), 0u);
  EXPECT_EQ(count(*neither, {SpvOpFOrdGreaterThan}), 2u);  // one for 7, one for 8
  EXPECT_EQ(count(*neither, {SpvOpDecorate}), 1u);
}

}  // namespace
}  // namespace nnrt::vulkan
