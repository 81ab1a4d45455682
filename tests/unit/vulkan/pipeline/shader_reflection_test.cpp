#include "backends/vulkan/pipeline/shader_reflection.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <spirv-tools/libspirv.hpp>

namespace nnrt::vulkan {
namespace {

const EmbeddedShader& shader(std::string_view name) {
  return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

TEST(Shader, AllThatAreEmbeddedFollowTheRules) {
  for (const EmbeddedShader& embedded : embedded_shaders()) {
    const auto reflected = reflect(embedded.words);
    ASSERT_TRUE(reflected.ok()) << embedded.name << ": " << reflected.error().message;
    EXPECT_EQ(reflected.value().local_size_constants, 3u) << embedded.name;
    EXPECT_LE(reflected.value().push_bytes, 128u) << embedded.name;
    EXPECT_FALSE(reflected.value().bindings.empty()) << embedded.name;
    EXPECT_TRUE(std::ranges::any_of(reflected.value().bindings, &Access::writes)) << embedded.name;
  }
}

TEST(Shader, TellsWhatItReadsAndWrites) {
  const auto unary = reflect(shader("unary_f32").words);
  ASSERT_TRUE(unary.ok());
  EXPECT_EQ(unary.value().bindings, (std::vector<Access>{{true, false}, {false, true}}));
}

TEST(Shader, TellsWhatItReadsAsTexels) {
  const auto gemm = reflect(shader("matmul_f32_vec4_texels").words);
  ASSERT_TRUE(gemm.ok());
  EXPECT_EQ(gemm.value().kinds, (std::vector{BindingKind::texels, BindingKind::texels, BindingKind::storage,
                                             BindingKind::storage, BindingKind::storage}));
  EXPECT_EQ(gemm.value().bindings[0], (Access{true, false}));
}

TEST(Shader, TellsWhatItReadsAsTexelsOfImages) {
  const auto gemm = reflect(shader("matmul_f32_vec4_subgroup8").words);
  ASSERT_TRUE(gemm.ok());
  EXPECT_EQ(gemm.value().kinds, (std::vector{BindingKind::images, BindingKind::images, BindingKind::storage,
                                             BindingKind::storage, BindingKind::storage}));
  EXPECT_EQ(gemm.value().bindings[0], (Access{true, false}));
}

TEST(Shader, TellsItsPushConstantsAndSpecializationConstants) {
  const auto unary = reflect(shader("unary_f32").words);
  ASSERT_TRUE(unary.ok());
  EXPECT_EQ(unary.value().push_bytes, 16u);
  EXPECT_EQ(unary.value().constants, (std::vector<uint32_t>{0, 1, 2, 3}));
}

// SPIRV-Cross cannot read matrix types, which must not hide other declarations.
TEST(Shader, MatrixReflectionMatchesEmulation) {
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [name, emulated] :
       {Pair{"matmul_cooperative_matrix", "matmul_cooperative_matrix_emulated"},
        Pair{"conv2d_cooperative_matrix", "conv2d_cooperative_matrix_emulated"}}) {
    const auto real = reflect(shader(name).words);
    const auto nhwc_copy = reflect(shader(emulated).words);
    ASSERT_TRUE(real.ok() && nhwc_copy.ok());
    EXPECT_EQ(real.value().bindings, nhwc_copy.value().bindings);
    EXPECT_EQ(real.value().push_bytes, nhwc_copy.value().push_bytes);
    EXPECT_EQ(real.value().constants, nhwc_copy.value().constants);
  }
}

// No driver used in the tests validates these.
TEST(Shader, ThoseOfCooperativeMatricesAreValid) {
  for (const char* name : {"matmul_cooperative_matrix", "conv2d_cooperative_matrix"}) {
    std::string faults;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* text) { faults += text; });
    const std::span<const uint32_t> words = shader(name).words;
    EXPECT_TRUE(tools.Validate(words.data(), words.size())) << name << ": " << faults;
  }
}

TEST(Shader, WordsThatAreNoSpirvAreRefused) {
  const std::vector<uint32_t> words{1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(reflect(words).ok());
  EXPECT_FALSE(reflect({}).ok());
}

}  // namespace
}  // namespace nnrt::vulkan
