#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

LoweredNode fast_compile_node(Op op) {
  LoweredNode node(op);
  node.plan.shaders = vulkan::Shaders::fast_compile;
  return node;
}

LoweredNode fast_compile_convolution(int64_t channels, int64_t kernel) {
  LoweredNode node = fast_compile_node(Op::conv2d);
  node.input({1, 7, 7, channels});
  node.floats({8, kernel, kernel, channels}, std::vector<float>(size_t(8 * kernel * kernel * channels)));
  node.input({8}).output({1, 8 - kernel, 8 - kernel, 8});
  return node;
}

TEST(LowerFastCompile, ReadsConvolutionWeightsInPlace) {
  const RecordingSink sink = fast_compile_convolution(16, 3).lower();
  EXPECT_EQ(sink.dispatch().buffers[1], (vulkan::Buffer{vulkan::Buffer::Space::tensor, 1}));
  EXPECT_TRUE(sink.constants.empty());
}

TEST(LowerFastCompile, UsesOneShaderForWindowsAndFullConnection) {
  LoweredNode connection = fast_compile_node(Op::full_connection);
  connection.input({3, 8}).floats({5, 8}, std::vector<float>(40)).input({5}).output({3, 5});
  const RecordingSink connected = connection.lower();
  const RecordingSink pointwise = fast_compile_convolution(16, 1).lower();
  const RecordingSink fast_compile_spatial = fast_compile_convolution(16, 3).lower();
  EXPECT_EQ(connected.dispatch().shader, fast_compile_spatial.dispatch().shader);
  EXPECT_EQ(connected.dispatch().constants, fast_compile_spatial.dispatch().constants);
  EXPECT_EQ(pointwise.dispatch().shader, fast_compile_spatial.dispatch().shader);
  EXPECT_EQ(pointwise.dispatch().constants, fast_compile_spatial.dispatch().constants);
}

}  // namespace
}  // namespace nnrt::test
