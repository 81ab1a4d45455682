#include "backends/vulkan/pipeline/spirv/fp16_storage.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/rounded_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <spirv-tools/libspirv.hpp>

namespace nnrt::vulkan {
namespace {

const EmbeddedShader& shader(std::string_view name) {
  return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

std::string faults_of(const std::vector<uint32_t>& words) {
  std::string faults;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* text) { faults += text; });
  tools.Validate(words);
  return faults;
}

TEST(Fp16Storage, FindsTheBuffersOfFloats) {
  EXPECT_EQ(bindings_of_floats(shader("pack_weights_f32").words), 0b11u);
  EXPECT_EQ(bindings_of_floats(shader("matmul_shared_memory_f32_vec4").words), 0b11111u);
}

TEST(Fp16Storage, LeavesTexelsAndWordsAlone) {
  EXPECT_EQ(bindings_of_floats(shader("matmul_f32_vec4_texels").words), 0b11100u);
  EXPECT_EQ(bindings_of_floats(shader("copy").words), 0u);
  EXPECT_FALSE(with_fp16_storage(shader("copy").words, 1));
  EXPECT_FALSE(with_fp16_storage(shader("pack_weights_f32").words, 0b100));
}

TEST(Fp16Storage, IgnoresInvalidSpirv) {
  const std::vector<uint32_t> words{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(bindings_of_floats(words), 0u);
  EXPECT_EQ(bindings_of_floats({}), 0u);
}

TEST(Fp16Storage, EveryShaderStaysValid) {
  size_t rewritten = 0;
  for (const EmbeddedShader& embedded : embedded_shaders()) {
    const uint32_t possible = bindings_of_floats(embedded.words);
    if (possible == 0) continue;
    const auto words = with_fp16_storage(embedded.words, possible);
    ASSERT_TRUE(words) << embedded.name;
    EXPECT_EQ(faults_of(*words), "") << embedded.name;
    ++rewritten;
  }
  EXPECT_GT(rewritten, 40u);
}

TEST(Fp16Storage, KeepsOtherBuffers) {
  const auto words = with_fp16_storage(shader("pack_weights_f32").words, 0b10);
  ASSERT_TRUE(words);
  EXPECT_EQ(faults_of(*words), "");
  EXPECT_EQ(bindings_of_floats(*words), 0b01u);
}

TEST(RoundedFloats, EveryShaderStaysValid) {
  for (const EmbeddedShader& embedded : embedded_shaders()) {
    const uint32_t possible = bindings_of_floats(embedded.words);
    if (possible == 0) continue;
    const auto words = with_rounded_floats(embedded.words, possible);
    ASSERT_TRUE(words) << embedded.name;
    EXPECT_EQ(faults_of(*words), "") << embedded.name;
    // They are still arrays of floats.
    EXPECT_EQ(bindings_of_floats(*words), possible) << embedded.name;
  }
}

TEST(RoundedFloats, OtherBuffersMayBeStoredInFp16) {
  const auto rounded = with_rounded_floats(shader("softmax_f32_vec4").words, 0b01);
  ASSERT_TRUE(rounded);
  const auto words = with_fp16_storage(*rounded, 0b10);
  ASSERT_TRUE(words);
  EXPECT_EQ(faults_of(*words), "");
  EXPECT_EQ(bindings_of_floats(*words), 0b01u);
}

TEST(RoundedFloats, AreNotThoseOfTexelsAndWords) {
  EXPECT_FALSE(with_rounded_floats(shader("copy").words, 1));
  EXPECT_FALSE(with_rounded_floats(shader("matmul_f32_vec4_texels").words, 1));
  EXPECT_FALSE(with_rounded_floats({}, 1));
}

}  // namespace
}  // namespace nnrt::vulkan
