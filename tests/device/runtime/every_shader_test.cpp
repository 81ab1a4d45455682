// The optimizer has to take each shader, or its pipelines are made of code that is not specialized. It is
// here, where nothing is sanitized, because memory from a sanitizer makes it ten times as slow.
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/specialize_shader.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(EveryShader, IsSpecialized) {
  for (const EmbeddedShader& embedded : embedded_shaders())
    EXPECT_TRUE(specialize(embedded.words, std::vector<uint32_t>{64, 1, 1})) << embedded.name;
}

}  // namespace
}  // namespace nnrt::vulkan
