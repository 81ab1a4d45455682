// The optimizer must be able to specialize every shader; otherwise pipelines silently use unspecialized code.
// Not part of the sanitized tests, where allocations make it ten times as slow.
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
