#include "backends/vulkan/lower/finish.h"
#include "tests/support/lowered_node.h"

#include <bit>

namespace nnrt::test {
namespace {

using vulkan::Finish;
using vulkan::Limits;

LoweredNode product() {
  LoweredNode node(Op::matmul);
  node.input({8, 8}).input({8, 16});
  return node;
}

Result<Finish> finish_of(LoweredNode& node) {
  node.output({8, 16});
  const std::vector<const std::byte*> values(4, nullptr);
  return vulkan::finish_of(node.view(values));
}

TEST(Finish, IsNothingWithoutSteps) {
  LoweredNode node = product();
  const Finish finish = finish_of(node).value();
  EXPECT_EQ(finish.then, 0u);
  EXPECT_FALSE(finish.added);
  EXPECT_EQ(finish.limits, Limits{});
}

TEST(Finish, KeepsWithinTheOwnActivation) {
  LoweredNode node = product();
  node.integer(Attr::activation, {2});
  EXPECT_EQ(finish_of(node).value().limits, (Limits{0, 6}));
}

TEST(Finish, OperatesThenAddsThenLimits) {
  LoweredNode node = product();
  node.step(Op::swish).input({8, 16}).step(Op::add, true).step(Op::relu);
  const Finish finish = finish_of(node).value();
  EXPECT_EQ(finish.then, uint32_t(Op::swish));
  EXPECT_EQ(finish.added, 2u);
  EXPECT_EQ(finish.limits, Limits{.low = 0});
}

TEST(Finish, TakesAnActivationBeforeTheSumForAnOperator) {
  LoweredNode node = product();
  node.integer(Attr::activation, {1}).input({8, 16}).step(Op::add, true);
  const Finish finish = finish_of(node).value();
  EXPECT_EQ(finish.then, uint32_t(Op::relu));
  EXPECT_EQ(finish.limits, Limits{});
}

TEST(Finish, TakesNoOperandThatBroadcasts) {
  LoweredNode node = product();
  node.input({16}).step(Op::add, true);
  EXPECT_EQ(finish_of(node).error().code, Code::unsupported);
}

TEST(Finish, TakesNoOtherOrder) {
  LoweredNode twice = product();
  twice.step(Op::swish).step(Op::tanh);
  EXPECT_FALSE(finish_of(twice).ok());
  LoweredNode limited = product();
  limited.step(Op::relu).step(Op::swish);
  EXPECT_FALSE(finish_of(limited).ok());
  LoweredNode sums = product();
  sums.input({8, 16}).step(Op::add, true).step(Op::add, true);
  EXPECT_FALSE(finish_of(sums).ok());
  LoweredNode scaled = product();
  scaled.input({8, 16}).step(Op::mul, true);
  EXPECT_FALSE(finish_of(scaled).ok());
}

TEST(Finish, RoundsToWhatCodesCanSayWithinTheRoundedLimits) {
  LoweredNode node = product();
  node.integer(Attr::activation, {2}).step(Op::quant_dtype_cast);
  node.output({8, 16}, DType::f32, {.scales = {0.7}, .zero_points = {-3}});
  const std::vector<const std::byte*> values(4, nullptr);
  const Finish finish = vulkan::finish_of(node.view(values)).value();
  EXPECT_EQ(finish.then, uint32_t(Op::quant_dtype_cast));
  EXPECT_EQ(finish.parameters, (std::array{std::bit_cast<uint32_t>(0.7f), std::bit_cast<uint32_t>(-3.0f)}));
  EXPECT_EQ(finish.limits, (Limits{0, 0.7f * 9}));
}

TEST(Finish, BindsWhatIsAdded) {
  LoweredNode node = product();
  const RecordingSink sink = node.input({8, 16}).step(Op::add, true).step(Op::relu).output({8, 16}).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(sink.dispatch().buffers[4], (vulkan::Buffer{vulkan::Buffer::Space::tensor, 2}));
}

}  // namespace
}  // namespace nnrt::test
