#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

bool supports(const LoweredNode& node) { return vulkan::supports_fused_elementwise(node.view({})); }

TEST(LowerFusedElementwise, RejectsUnsupportedFusions) {
  const auto relu = [](Shape shape) { return LoweredNode(Op::relu).input(shape).output(shape); };
  EXPECT_TRUE(supports(relu({3, 8}).step(Op::tanh)));
  LoweredNode long_fusion = relu({3, 8});
  for (int i = 0; i < 4; ++i) long_fusion.step(Op::tanh);
  EXPECT_TRUE(supports(long_fusion));
  EXPECT_FALSE(supports(long_fusion.step(Op::tanh)));  // six operators
  LoweredNode wide_fusion = relu({3, 8});
  for (int i = 0; i < 4; ++i) wide_fusion.input({3, 8}).step(Op::add, true);
  EXPECT_FALSE(supports(wide_fusion));                                  // five operands
  EXPECT_FALSE(supports(relu({3, 5}).input({5}).step(Op::add, true)));  // rows end within vectors
  EXPECT_FALSE(supports(LoweredNode(Op::less).input({8}).input({8}).output({8}).step(Op::neg)));
  LoweredNode mixed(Op::relu);
  mixed.input({8}, DType::f16).input({8}).step(Op::add, true).output({8}, DType::f16);
  EXPECT_FALSE(supports(mixed));
  LoweredNode broadcast(Op::matmul);
  broadcast.input({8, 8}).input({8, 16}).input({16}).step(Op::add, true).output({8, 16});
  const std::vector<const std::byte*> values(3, nullptr);
  EXPECT_EQ(vulkan::epilogue_of(broadcast.view(values)).error().code, Code::unsupported);
}

}  // namespace
}  // namespace nnrt::test
