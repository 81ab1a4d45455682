#include "backends/vulkan/pipeline/spirv/specialize_shader.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/shader_reflection.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

const EmbeddedShader& shader(std::string_view name) {
  return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

TEST(Specialize, LeavesNoConstantOpenAndCutsDeadBranches) {
  constexpr uint32_t kNeg = 84;
  const auto& unary = shader("unary_f32");
  const auto specialized = specialize(unary.words, std::vector<uint32_t>{64, 1, 1, kNeg});
  ASSERT_TRUE(specialized);
  EXPECT_LT(specialized->size() * 4, unary.words.size());
  const auto reflected = reflect(*specialized);
  ASSERT_TRUE(reflected.ok());
  EXPECT_TRUE(reflected.value().constants.empty());
}

TEST(Specialize, GivesUpWordsThatAreNoSpirv) {
  EXPECT_FALSE(specialize(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}, {}));
}

}  // namespace
}  // namespace nnrt::vulkan
