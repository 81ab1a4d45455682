#include "backends/vulkan/pipeline/embedded_shaders.h"

#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

#include <algorithm>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>

namespace nnrt::vulkan {
namespace {

TEST(EmbeddedShaders, DeclareAccess) {
  const EmbeddedShader* const unary = find_shader("unary_f32");
  ASSERT_NE(unary, nullptr);
  EXPECT_TRUE(std::ranges::equal(unary->bindings, std::vector<Access>{{true, false}, {false, true}}));
  EXPECT_EQ(unary->push_bytes, 16u);
}

TEST(EmbeddedShaders, DeclareTexelAccess) {
  for (const auto& [name, kind] : {std::pair{"matmul_f32_vec4_texels", BindingKind::texels},
                                   std::pair{"matmul_f32_vec4_subgroup8", BindingKind::images}}) {
    const EmbeddedShader* const gemm = find_shader(name);
    ASSERT_NE(gemm, nullptr);
    EXPECT_TRUE(std::ranges::equal(gemm->kinds, std::vector{kind, kind, BindingKind::storage,
                                                            BindingKind::storage, BindingKind::storage}));
    EXPECT_EQ(gemm->bindings[0], (Access{true, false}));
  }
}

TEST(EmbeddedShaders, MatrixShadersMatchEmulationBindings) {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [name, emulated] :
       {Pair{"matmul_cooperative_matrix", "matmul_cooperative_matrix_emulated"},
        Pair{"conv2d_cooperative_matrix", "conv2d_cooperative_matrix_emulated"}}) {
    EXPECT_TRUE(std::ranges::equal(find_shader(name)->bindings, find_shader(emulated)->bindings));
    EXPECT_EQ(find_shader(name)->push_bytes, find_shader(emulated)->push_bytes);
  }
}

// No driver used in the tests validates these.
TEST(EmbeddedShaders, OfCooperativeMatricesAreValid) {
  for (const char* name : {"matmul_cooperative_matrix", "conv2d_cooperative_matrix"}) {
    std::string faults;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* text) { faults += text; });
    const std::span<const uint32_t> words = find_shader(name)->words;
    EXPECT_TRUE(tools.Validate(words.data(), words.size())) << name << ": " << faults;
  }
}

constexpr uint32_t kNvCapability = SpvCapabilityCooperativeMatrixNV, kKhrCapability = 6022;
enum : uint32_t { kFirst, kSecond, kSum };  // uses of a matrix type
enum : uint32_t { kRowMajor, kColumnMajor };

std::vector<EmbeddedShader> shaders_with_matrices() {
  std::vector<EmbeddedShader> found;
  std::ranges::copy_if(embedded_shaders(), std::back_inserter(found),
                       [](const EmbeddedShader& one) { return !one.khr_words.empty(); });
  return found;
}

// What a module declares, and how often it uses an opcode.
struct Module {
  std::map<uint32_t, size_t> opcodes;
  std::set<uint32_t> capabilities;
  std::map<uint32_t, uint32_t> constants;          // 32-bit values
  std::map<uint32_t, uint32_t> uses;               // by matrix type of the KHR extension
  std::map<uint32_t, uint32_t> types;              // by matrix of such a type
  std::map<uint32_t, std::set<uint32_t>> layouts;  // by use
};

Module module_of(std::span<const uint32_t> words) {
  Module all;
  EXPECT_TRUE(spirv::for_each_instruction(words, [&](const spirv::Instruction& i) {
    ++all.opcodes[i.opcode];
    if (i.opcode == SpvOpCapability) all.capabilities.insert(i[1]);
    if (i.opcode == SpvOpConstant) all.constants[i[2]] = i[3];
    if (all.uses.contains(i[1])) all.types[i[2]] = i[1];
    const auto use_of = [&](uint32_t value) { return all.uses.at(all.types.at(value)); };
    switch (i.opcode) {
      case spirv::khr_matrix_type: all.uses[i[1]] = all.constants.at(i[6]); return;
      case spirv::khr_matrix_load: all.layouts[use_of(i[2])].insert(all.constants.at(i[4])); return;
      case spirv::khr_matrix_store: all.layouts[use_of(i[2])].insert(all.constants.at(i[3])); return;
      case spirv::khr_matrix_multiply_add:
        EXPECT_EQ(use_of(i[3]), kFirst);
        EXPECT_EQ(use_of(i[4]), kSecond);
        EXPECT_EQ(use_of(i[5]), kSum);
        EXPECT_EQ(use_of(i[2]), kSum);
        return;
      default: return;
    }
  }));
  return all;
}

TEST(EmbeddedShaders, HaveTheirMatricesByBothExtensions) {
  const std::vector<EmbeddedShader> shaders = shaders_with_matrices();
  // fp16 products, both kinds of convolutions and attention; INT8 products of two shapes.
  EXPECT_EQ(shaders.size(), 6u);
  for (const EmbeddedShader& one : shaders) {
    SCOPED_TRACE(one.name);
    const bool is_of_int8 = one.name.starts_with("int8_matrix");
    const Module nv = module_of(one.words), khr = module_of(one.khr_words);
    for (uint32_t i = 0; i <= spirv::khr_matrix_length - spirv::khr_matrix_type; ++i) {
      const auto count = [](const Module& module, uint32_t opcode) {
        return module.opcodes.contains(opcode) ? module.opcodes.at(opcode) : 0;
      };
      EXPECT_EQ(count(khr, spirv::khr_matrix_type + i), count(nv, SpvOpTypeCooperativeMatrixNV + i));
      EXPECT_EQ(count(khr, SpvOpTypeCooperativeMatrixNV + i), 0u);
    }
    EXPECT_TRUE(nv.capabilities.contains(kNvCapability));
    EXPECT_FALSE(khr.capabilities.contains(kNvCapability));
    EXPECT_TRUE(khr.capabilities.contains(kKhrCapability));
    EXPECT_TRUE(khr.capabilities.contains(SpvCapabilityVulkanMemoryModel));
    // Devices may have INT8 matrices without 8-bit storage, and INT8 kernels need no fp16 instructions.
    EXPECT_EQ(khr.capabilities.contains(SpvCapabilityInt8), is_of_int8);
    EXPECT_EQ(khr.capabilities.contains(SpvCapabilityFloat16), !is_of_int8);
    EXPECT_FALSE(khr.capabilities.contains(SpvCapabilityStorageBuffer8BitAccess));
    EXPECT_EQ(khr.uses.size(), 3u);
    EXPECT_EQ(khr.layouts.at(kFirst), std::set<uint32_t>{kRowMajor});
    EXPECT_TRUE(khr.layouts.at(kSecond).contains(kColumnMajor));
    EXPECT_EQ(khr.layouts.at(kSum), std::set<uint32_t>{kRowMajor});
  }
}

// Not each access, after which drivers would wait.
TEST(EmbeddedShaders, OfMatricesMakeSharedMemoryVisibleAtBarriers) {
  constexpr uint32_t kMarks = SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask;
  constexpr uint32_t kBoth = SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
  const std::map<uint32_t, size_t> masks{
      {SpvOpLoad, 4}, {SpvOpStore, 3}, {spirv::khr_matrix_load, 6}, {spirv::khr_matrix_store, 5}};
  for (const EmbeddedShader& one : shaders_with_matrices()) {
    SCOPED_TRACE(one.name);
    const Module module = module_of(one.khr_words);
    spirv::for_each_instruction(one.khr_words, [&](const spirv::Instruction& i) {
      const auto mask = masks.find(i.opcode);
      if (mask != masks.end()) {
        EXPECT_EQ(i[mask->second] & kMarks, 0u);
      }
      if (i.opcode == SpvOpControlBarrier) {
        EXPECT_EQ(module.constants.at(i[3]) & kBoth, kBoth);
      }
    });
    EXPECT_GT(module.opcodes.at(SpvOpControlBarrier), 0u);
  }
}

}  // namespace
}  // namespace nnrt::vulkan
