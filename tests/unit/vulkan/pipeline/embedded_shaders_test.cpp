#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <spirv-tools/libspirv.hpp>

namespace nnrt::vulkan {
namespace {

TEST(EmbeddedShaders, TellWhatTheyReadAndWrite) {
  const EmbeddedShader* const unary = find_shader("unary_f32");
  ASSERT_NE(unary, nullptr);
  EXPECT_TRUE(std::ranges::equal(unary->bindings, std::vector<Access>{{true, false}, {false, true}}));
  EXPECT_EQ(unary->push_bytes, 16u);
}

TEST(EmbeddedShaders, TellWhatTheyReadAsTexels) {
  for (const auto& [name, kind] : {std::pair{"matmul_f32_vec4_texels", BindingKind::texels},
                                   std::pair{"matmul_f32_vec4_subgroup8", BindingKind::images}}) {
    const EmbeddedShader* const gemm = find_shader(name);
    ASSERT_NE(gemm, nullptr);
    EXPECT_TRUE(std::ranges::equal(gemm->kinds, std::vector{kind, kind, BindingKind::storage,
                                                            BindingKind::storage, BindingKind::storage}));
    EXPECT_EQ(gemm->bindings[0], (Access{true, false}));
  }
}

TEST(EmbeddedShaders, OfMatricesBindWhatTheirEmulationBinds) {
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

}  // namespace
}  // namespace nnrt::vulkan
