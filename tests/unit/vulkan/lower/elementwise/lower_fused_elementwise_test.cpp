#include "backends/vulkan/lower/elementwise/elementwise_push.h"
#include "tests/support/lowered_node.h"

#include <bit>

namespace nnrt::test {
namespace {

using vulkan::Buffer;

// Offsets in the push constants of fused_elementwise.comp, in words.
constexpr size_t kCount = 10, kDims = 11, kStrides = 16;
// Indices of specialization constants.
constexpr size_t kRank = 0, kOperands = 1, kSplat = 2, kOperators = 3;

bool supports(const LoweredNode& node) { return vulkan::supports_fused_elementwise(node.view({})); }

std::vector<uint32_t> operators(const RecordingSink& sink) {
  const auto& constants = sink.dispatch().constants;
  return {constants.begin() + kOperators, constants.end()};
}

TEST(LowerFusedElementwise, StepsAreOperatorsOfOneDispatch) {
  const RecordingSink sink = LoweredNode(Op::sigmoid)
                                 .input({2, 3, 8})
                                 .input({2, 3, 8})
                                 .step(Op::mul, true)
                                 .step(Op::neg)
                                 .output({2, 3, 8})
                                 .lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "fused_elementwise");
  EXPECT_EQ(sink.dispatch().constants[kRank], 1u);
  EXPECT_EQ(sink.dispatch().constants[kOperands], 2u);
  EXPECT_EQ(operators(sink), (std::vector<uint32_t>{uint32_t(Op::sigmoid), 0, uint32_t(Op::mul), 1,
                                                    uint32_t(Op::neg), 0, 0, 0, 0, 0}));
  EXPECT_EQ(push_word(sink.dispatch(), kCount), 12u);
  EXPECT_EQ(sink.dispatch().buffers.size(), 5u);
}

TEST(LowerFusedElementwise, AddsStepsOfQuantizedValues) {
  const Quant quant{.scales = {0.5}, .zero_points = {3}}, twice{.scales = {1}, .zero_points = {3}};
  constexpr uint32_t kAddSteps = uint32_t(Op::add) + 0x10000;
  const RecordingSink sink = LoweredNode(Op::add)
                                 .input({4}, DType::f32, quant)
                                 .input({4}, DType::f32, quant)
                                 .step(Op::quant_dtype_cast)
                                 .output({4}, DType::f32, twice)
                                 .lower();
  EXPECT_EQ(operators(sink), (std::vector<uint32_t>{kAddSteps, 1, uint32_t(Op::clip), 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(push_word(sink.dispatch(), 0), std::bit_cast<uint32_t>(0.5f));
  EXPECT_EQ(push_word(sink.dispatch(), 1), std::bit_cast<uint32_t>(0.5f));
  EXPECT_EQ(push_word(sink.dispatch(), 2), std::bit_cast<uint32_t>(-131.0f));
  EXPECT_EQ(push_word(sink.dispatch(), 3), std::bit_cast<uint32_t>(124.0f));
}

TEST(LowerFusedElementwise, AnActivationIsAnOperatorBehindItsOwn) {
  const RecordingSink sink = LoweredNode(Op::add)
                                 .input({4})
                                 .input({4})
                                 .integer(Attr::activation, {2})
                                 .input({1})
                                 .step(Op::sub, true, true)
                                 .output({4})
                                 .lower();
  EXPECT_EQ(operators(sink), (std::vector<uint32_t>{uint32_t(Op::add), 1, uint32_t(Op::relu6), 0,
                                                    uint32_t(Op::sub), 2 | 4, 0, 0, 0, 0}));
  EXPECT_EQ(sink.dispatch().constants[kSplat], 4u);
}

TEST(LowerFusedElementwise, OperandsAreBroadcastFromTheRight) {
  const RecordingSink sink = LoweredNode(Op::relu)
                                 .input({5, 6, 8})
                                 .input({8})
                                 .step(Op::add, true)
                                 .input({5, 1, 1})
                                 .step(Op::mul, true)
                                 .output({5, 6, 8})
                                 .lower();
  EXPECT_EQ(sink.dispatch().constants[kRank], 3u);
  EXPECT_EQ(sink.dispatch().constants[kSplat], 4u);
  EXPECT_EQ(push_words(sink.dispatch(), kDims, 3), (std::vector<uint32_t>{5, 6, 2}));
  EXPECT_EQ(push_words<int32_t>(sink.dispatch(), kStrides, 12),
            (std::vector<int32_t>{12, 0, 1, 0, 2, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(LowerFusedElementwise, IsRefusedWhereTheKernelEnds) {
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
}

TEST(LowerFusedElementwise, SupportsFp16Storage) {
  LoweredNode node(Op::relu);
  node.input({3, 8}, DType::f16).fp16_input({8}).step(Op::add, true).output({3, 8}, DType::f16);
  EXPECT_TRUE(supports(node));
  node.plan.fp16_storage = true;
  const RecordingSink sink = node.lower();
  ASSERT_EQ(sink.commands.size(), 1u);
  EXPECT_EQ(sink.dispatch().shader, "fused_elementwise");
  EXPECT_EQ(sink.dispatch().fp16_bindings, 0b11111u);
  EXPECT_EQ(sink.dispatch().buffers[1], (Buffer{Buffer::Space::tensor, 1}));
  EXPECT_TRUE(sink.constants.empty());
}

}  // namespace
}  // namespace nnrt::test
