#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using Space = vulkan::Buffer::Space;

struct Sizes {
  int64_t steps = 3, batch = 2, input = 5, hidden = 4, directions = 1, layers = 1;
};

LoweredNode lstm(const Sizes& sizes, DType dtype = DType::f32) {
  const int64_t all = sizes.directions * sizes.layers;
  LoweredNode node(Op::lstm);
  node.input({sizes.steps, sizes.batch, sizes.input}, dtype);
  node.input({all, 4 * sizes.hidden, sizes.input}, dtype).input({all, 4 * sizes.hidden, sizes.hidden}, dtype);
  node.input({all, 8 * sizes.hidden}, dtype);
  for (int i = 0; i < 2; ++i) node.input({all, sizes.batch, sizes.hidden}, dtype);
  node.output({sizes.steps, sizes.batch, sizes.directions * sizes.hidden}, dtype);
  for (int i = 0; i < 2; ++i) node.output({all, sizes.batch, sizes.hidden}, dtype);
  node.integer(Attr::bidirectional, {sizes.directions == 2 ? 1.0 : 0.0});
  return node;
}

vulkan::Buffer tensor(uint32_t id) { return {Space::tensor, id}; }

// The dispatches of the time steps, after packing and the GEMMs.
std::vector<vulkan::Dispatch> steps_of(const RecordingSink& sink) {
  std::vector<vulkan::Dispatch> steps;
  for (size_t i = 0; i < sink.commands.size(); ++i) {
    if (sink.dispatch(i).shader.starts_with("lstm")) steps.push_back(sink.dispatch(i));
  }
  return steps;
}

TEST(LowerLstm, HoistsInputProjection) {
  const RecordingSink sink = lstm({.steps = 3, .batch = 2}).lower();
  ASSERT_EQ(sink.commands.size(), 5u);
  EXPECT_EQ(sink.dispatch(0).shader, "pack_weights_f32");
  EXPECT_EQ(push_word(sink.dispatch(1), 0), 6u);  // rows
  EXPECT_EQ(push_word(sink.dispatch(1), 1), 16u);
  EXPECT_EQ(steps_of(sink).size(), 3u);
}

TEST(LowerLstm, PassesStatesThroughScratch) {
  const auto steps = steps_of(lstm({.steps = 4}).lower());
  EXPECT_EQ(steps[0].buffers[3], tensor(4));
  EXPECT_EQ(steps[0].buffers[4], tensor(5));
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].buffers[3], steps[i - 1].buffers[5]);
    EXPECT_EQ(steps[i].buffers[4], steps[i - 1].buffers[6]);
    EXPECT_NE(steps[i].buffers[3], steps[i].buffers[5]);
  }
  EXPECT_EQ(steps[3].buffers[5], tensor(7));
  EXPECT_EQ(steps[3].buffers[6], tensor(8));
}

TEST(LowerLstm, NeedsNoStatesInBetweenForOneStep) {
  const RecordingSink sink = lstm({.steps = 1}).lower();
  const auto steps = steps_of(sink);
  EXPECT_EQ(steps[0].buffers[5], tensor(7));
  EXPECT_EQ(sink.scratches.size(), 2u);  // the packed weight and the gates
}

TEST(LowerLstm, ComputesBothDirectionsInOneDispatch) {
  const auto steps = steps_of(lstm({.steps = 3, .batch = 2, .hidden = 7, .directions = 2}).lower());
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].shader, "lstm_f32");
  EXPECT_EQ(steps[0].threads[0], 28u);
}

TEST(LowerLstm, FeedsALayerWithTheOneBelow) {
  const RecordingSink sink = lstm({.steps = 1, .input = 8, .directions = 2, .layers = 2}).lower();
  const auto steps = steps_of(sink);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(sink.dispatch(4).shader, "matmul_f32_vec4_row");
  EXPECT_EQ(sink.dispatch(4).buffers[0], steps[0].buffers[7]);
  EXPECT_EQ(push_words(steps[1], 6, 3), (std::vector<uint32_t>{2, 16, 16}));  // its weights and states
  EXPECT_EQ(steps[1].buffers[7], tensor(6));
}

TEST(LowerLstm, ConvertsAllThreeOutputsOfFp16) {
  const RecordingSink sink = lstm({.steps = 1}, DType::f16).lower();
  const size_t count = sink.commands.size();
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sink.dispatch(count - 3 + i).shader, "cast");
    EXPECT_EQ(sink.dispatch(count - 3 + i).buffers[1], tensor(6 + i));
  }
}

TEST(LowerLstm, RefusesMoreStepsThanOneRunDoes) {
  RecordingSink sink;
  const Status status = lstm({.steps = 20000, .batch = 1}).try_lower(sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "Layers times steps (20000) exceed the GPU's limit (16384).");
}

RecordingSink on_gpu(const Sizes& sizes, uint32_t invocations = 1024) {
  LoweredNode node = lstm(sizes);
  node.plan.max_group_invocations = invocations;
  node.plan.max_shared_bytes = 32768;
  return node.lower();
}

TEST(LowerLstm, TakesAllStepsInOneDispatchOnGpus) {
  const RecordingSink sink = on_gpu({.steps = 7, .batch = 3, .input = 16, .hidden = 130, .directions = 2});
  const vulkan::Dispatch& dispatch = sink.dispatch(sink.commands.size() - 1);
  EXPECT_EQ(dispatch.shader, "recurrent_sequence_f32");
  EXPECT_EQ(dispatch.constants, (std::vector<uint32_t>{4, 0, 160, 6, 33}));  // units, shares, vectors
  EXPECT_EQ(dispatch.local[0], 160u * 6);
  EXPECT_EQ(dispatch.threads[0], 2u * 3 * 160 * 6);
  EXPECT_EQ(push_words(dispatch, 0, 8), (std::vector<uint32_t>{6, 7, 3, 130, 2, 0, 0, 2}));
  EXPECT_EQ(dispatch.buffers[5], tensor(7));
  EXPECT_EQ(steps_of(sink).size(), 0u);
}

TEST(LowerLstm, DispatchesStepsIfCoresAreBusy) {
  EXPECT_EQ(steps_of(on_gpu({.steps = 3, .hidden = 512})).size(), 3u);
  EXPECT_EQ(steps_of(on_gpu({.steps = 1})).size(), 1u);
  EXPECT_EQ(steps_of(on_gpu({.steps = 3}, 64)).size(), 3u);
}

}  // namespace
}  // namespace nnrt::test
