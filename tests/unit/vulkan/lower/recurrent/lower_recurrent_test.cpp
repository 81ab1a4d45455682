#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

struct Sizes {
  int64_t steps = 3, batch = 2, input = 5, hidden = 4, direction = 0;

  int64_t directions() const { return direction == 2 ? 2 : 1; }
};

LoweredNode layer(Op op, const Sizes& sizes, DType dtype = DType::f32) {
  const int64_t rows = (op == Op::gru ? 3 : 1) * sizes.hidden, directions = sizes.directions();
  LoweredNode node(op);
  node.input({sizes.steps, sizes.batch, sizes.input}, dtype);
  node.input({directions, rows, sizes.input}, dtype).input({directions, rows, sizes.hidden}, dtype);
  node.input({directions, 2 * rows}, dtype).input({directions, sizes.batch, sizes.hidden}, dtype);
  node.output({sizes.steps, sizes.batch, directions * sizes.hidden}, dtype);
  node.output({directions, sizes.batch, sizes.hidden}, dtype);
  node.integer(Attr::direction, {double(sizes.direction)});
  return node;
}

vulkan::Buffer tensor(uint32_t id) { return {Space::tensor, id}; }

// Bindings of recurrent.comp.
enum Binding : size_t { kState = 3, kResetState, kNextState, kOutput };
constexpr uint32_t kRnnRelu = 1, kGru = 2, kGruReset = 3, kGruCandidate = 4;

// The dispatches of the time steps, after packing and the GEMM.
std::vector<vulkan::Dispatch> steps_of(const RecordingSink& sink) {
  std::vector<vulkan::Dispatch> steps;
  for (size_t i = 0; i < sink.commands.size(); ++i) {
    if (sink.dispatch(i).shader.starts_with("recurrent")) steps.push_back(sink.dispatch(i));
  }
  return steps;
}

TEST(LowerRecurrent, HoistsInputProjection) {
  const RecordingSink sink = layer(Op::rnn, {.steps = 3, .batch = 2}).lower();
  ASSERT_EQ(sink.commands.size(), 5u);
  EXPECT_EQ(push_word(sink.dispatch(1), 0), 6u);  // rows
  EXPECT_EQ(push_word(sink.dispatch(1), 1), 4u);
  const auto steps = steps_of(sink);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].shader, "recurrent_f32_vec4");
  EXPECT_EQ(steps[0].constants, std::vector<uint32_t>{0});
}

TEST(LowerRecurrent, PassesStateThroughScratch) {
  const auto steps = steps_of(layer(Op::rnn, {.steps = 4}).lower());
  EXPECT_EQ(steps[0].buffers[kState], tensor(4));
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].buffers[kState], steps[i - 1].buffers[kNextState]);
    EXPECT_NE(steps[i].buffers[kState], steps[i].buffers[kNextState]);
    EXPECT_EQ(steps[i].buffers[kOutput], tensor(5));
  }
  EXPECT_EQ(steps[3].buffers[kNextState], tensor(6));
}

TEST(LowerRecurrent, ResetsAllStatesBeforeItMultipliesThem) {
  const auto steps = steps_of(layer(Op::gru, {.steps = 2}).lower());
  ASSERT_EQ(steps.size(), 4u);
  for (const size_t i : {0, 2}) {
    EXPECT_EQ(steps[i].constants, std::vector<uint32_t>{kGruReset});
    EXPECT_EQ(steps[i + 1].constants, std::vector<uint32_t>{kGruCandidate});
    EXPECT_EQ(steps[i + 1].buffers[kResetState], steps[i].buffers[kNextState]);
    EXPECT_EQ(steps[i + 1].buffers[kState], steps[i].buffers[kState]);
    EXPECT_NE(steps[i].buffers[kResetState], steps[i].buffers[kNextState]);
  }
}

TEST(LowerRecurrent, LinearBeforeResetNeedsOneDispatchPerStep) {
  const auto steps = steps_of(layer(Op::gru, {.steps = 2}).integer(Attr::linear_before_reset, {1}).lower());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].constants, std::vector<uint32_t>{kGru});
}

TEST(LowerRecurrent, ComputesBothDirectionsInOneDispatch) {
  constexpr size_t kBackward = 6;  // word of the push constants
  const LoweredNode both = layer(Op::rnn, {.hidden = 7, .direction = 2}).integer(Attr::mode, {1});
  const auto steps = steps_of(both.lower());
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].shader, "recurrent_f32");
  EXPECT_EQ(steps[0].threads[0], 28u);
  EXPECT_EQ(steps[0].constants, std::vector<uint32_t>{kRnnRelu});
  EXPECT_EQ(push_word(steps[0], kBackward), 2u);
  EXPECT_EQ(push_word(steps_of(layer(Op::rnn, {.direction = 1}).lower())[0], kBackward), 1u);
  EXPECT_EQ(push_word(steps_of(layer(Op::rnn, {}).lower())[0], kBackward), 0u);
}

TEST(LowerRecurrent, ConvertsBothOutputsOfFp16) {
  const RecordingSink sink = layer(Op::gru, {.steps = 1}, DType::f16).lower();
  const size_t count = sink.commands.size();
  for (uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sink.dispatch(count - 2 + i).shader, "cast");
    EXPECT_EQ(sink.dispatch(count - 2 + i).buffers[1], tensor(5 + i));
  }
}

TEST(LowerRecurrent, RefusesMoreStepsThanOneRunDoes) {
  RecordingSink sink;
  const Status status = layer(Op::gru, {.steps = 10000, .batch = 1}).try_lower(sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "The steps' dispatches (20000) exceed the GPU's limit (16384).");
}

}  // namespace
}  // namespace nnrt::test
