#include "backends/vulkan/pipeline/spirv/specialize_shader.h"

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.h>

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
  spirv::for_each_instruction(*specialized, [](const spirv::Instruction& i) {
    EXPECT_FALSE(i.opcode == SpvOpDecorate && i[2] == SpvDecorationSpecId) << i[3];
  });
}

TEST(Specialize, RejectsInvalidSpirv) {
  EXPECT_FALSE(specialize(std::vector<uint32_t>{1, 2, 3, 4, 5, 6}, {}));
}

}  // namespace
}  // namespace nnrt::vulkan
