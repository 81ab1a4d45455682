#include "backends/vulkan/lower/gemm/lower_epilogue.h"

#include "tests/support/lowered_node.h"

#include <bit>

namespace nnrt::test {
namespace {

using vulkan::Epilogue;
using vulkan::Limits;

LoweredNode gemm() {
  LoweredNode node(Op::matmul);
  node.input({8, 8}).input({8, 16});
  return node;
}

Result<Epilogue> epilogue_of(LoweredNode& node) {
  node.output({8, 16});
  const std::vector<const std::byte*> values(4, nullptr);
  return vulkan::epilogue_of(node.view(values));
}

TEST(Epilogue, IsEmptyWithoutSteps) {
  LoweredNode node = gemm();
  const Epilogue epilogue = epilogue_of(node).value();
  EXPECT_EQ(epilogue.post_op, 0u);
  EXPECT_FALSE(epilogue.added);
  EXPECT_EQ(epilogue.limits, Limits{});
}

TEST(Epilogue, KeepsWithinTheOwnActivation) {
  LoweredNode node = gemm();
  node.integer(Attr::activation, {2});
  EXPECT_EQ(epilogue_of(node).value().limits, (Limits{0, 6}));
}

TEST(Epilogue, OperatesThenAddsThenLimits) {
  LoweredNode node = gemm();
  node.step(Op::swish).input({8, 16}).step(Op::add, true).step(Op::relu);
  const Epilogue epilogue = epilogue_of(node).value();
  EXPECT_EQ(epilogue.post_op, uint32_t(Op::swish));
  EXPECT_EQ(epilogue.added, 2u);
  EXPECT_EQ(epilogue.limits, Limits{.low = 0});
}

TEST(Epilogue, AppliesActivationBeforeTheSum) {
  LoweredNode node = gemm();
  node.integer(Attr::activation, {1}).input({8, 16}).step(Op::add, true);
  const Epilogue epilogue = epilogue_of(node).value();
  EXPECT_EQ(epilogue.post_op, uint32_t(Op::relu));
  EXPECT_EQ(epilogue.limits, Limits{});
}

TEST(Epilogue, RejectsBroadcastOperands) {
  LoweredNode node = gemm();
  node.input({16}).step(Op::add, true);
  EXPECT_EQ(epilogue_of(node).error().code, Code::unsupported);
}

TEST(Epilogue, TakesNoOtherOrder) {
  LoweredNode twice = gemm();
  twice.step(Op::swish).step(Op::tanh);
  EXPECT_FALSE(epilogue_of(twice).ok());
  LoweredNode limited = gemm();
  limited.step(Op::relu).step(Op::swish);
  EXPECT_FALSE(epilogue_of(limited).ok());
  LoweredNode sums = gemm();
  sums.input({8, 16}).step(Op::add, true).step(Op::add, true);
  EXPECT_FALSE(epilogue_of(sums).ok());
  LoweredNode scaled = gemm();
  scaled.input({8, 16}).step(Op::mul, true);
  EXPECT_FALSE(epilogue_of(scaled).ok());
}

TEST(Epilogue, RequantizesSumsWithinTheStepsOfTheLimits) {
  const Quant quant{.scales = {0.5}, .zero_points = {0}};
  LoweredNode node(Op::matmul);
  node.input({8, 8}, DType::f32, quant).input({8, 16}, DType::f32, quant);
  node.integer(Attr::activation, {2}).step(Op::quant_dtype_cast);
  node.output({8, 16}, DType::f32, {.scales = {0.7}, .zero_points = {-3}});
  const std::vector<const std::byte*> values(4, nullptr);
  const Epilogue epilogue = vulkan::epilogue_of(node.view(values)).value();
  EXPECT_EQ(epilogue.post_op, uint32_t(Op::quant_dtype_cast));
  EXPECT_TRUE(epilogue.requantizes);
  EXPECT_EQ(epilogue.parameters[0], std::bit_cast<uint32_t>(16.0f));  // columns in the table
  EXPECT_EQ(epilogue.limits, (Limits{0, 9}));
}

TEST(Epilogue, BindsAddedOperand) {
  LoweredNode node = gemm();
  const RecordingSink sink = node.input({8, 16}).step(Op::add, true).step(Op::relu).output({8, 16}).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(sink.dispatch().buffers[4], (vulkan::Buffer{vulkan::Buffer::Space::tensor, 2}));
}

}  // namespace
}  // namespace nnrt::test
