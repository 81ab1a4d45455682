// Build can lower every node that supports() accepts: random nodes of every operator on devices with small
// limits, and kernels of any size.
#include "backends/vulkan/program/trial_lowering.h"

#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/node_support.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/base/text.h"
#include "core/passes/inferred_ranks.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;
using test::RandomNode;

DevicePlan plan_of(uint32_t groups, uint64_t range) {
  DevicePlan plan;
  plan.storage_alignment = 16;
  plan.max_storage_range = range;
  plan.max_texels = range / 16;
  plan.max_allocation = 1 << 24;
  plan.max_group_invocations = 256;
  plan.max_group_size = {256, 256, 64};
  plan.max_group_count = {groups, groups, groups};
  plan.max_shared_bytes = 32768;
  return plan;
}

std::vector<DevicePlan> plans() {
  DevicePlan generous = plan_of(65535, 1 << 27);
  DevicePlan few_groups = plan_of(3, 1 << 27);
  DevicePlan short_buffers = plan_of(65535, 1 << 10);
  DevicePlan software = plan_of(5, 1 << 12);
  software.is_software = software.quad_operations = true;
  DevicePlan short_loops = software;
  short_loops.max_storage_range = 1 << 27;
  short_loops.max_loop_iterations = kConstantIterations + 48;
  std::vector<DevicePlan> plans{generous, few_groups, short_buffers, software, short_loops};
  for (DevicePlan fast_compile : {generous, few_groups, short_buffers, software}) {
    fast_compile.shaders = Shaders::fast_compile;
    plans.push_back(fast_compile);
  }
  return plans;
}

Status build(const Graph& graph, const DevicePlan& plan) {
  Constants constants(plan);
  const Graph ranked = with_inferred_ranks(graph);  // like the device
  const auto program = build_program(ranked, ranked.shapes, plan, constants);
  return program.ok() ? Status() : Status(program.error());
}

class TrialOfRandomNodes : public testing::TestWithParam<Op> {};

TEST_P(TrialOfRandomNodes, AcceptedNodesBuild) {
  const auto op = GetParam();
  size_t redrawn = 0;
  for (uint32_t seed = 1; seed <= test::draws(48); ++seed) {
    const RandomNode node = test::valid_node(op, seed, redrawn);
    const auto built = test::graph_of(node).value();
    const GraphPtr graph = normalize(built);
    for (const DevicePlan& plan : plans()) {
      const std::vector<Refusal> refusals = node_refusals(*graph, plan);
      if (std::ranges::any_of(refusals, [](const Refusal& refusal) { return refusal.has_value(); })) continue;
      const Status status = build(*graph, plan);
      ASSERT_TRUE(status.ok()) << status.error().message << "\n" << test::describe(node);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, TrialOfRandomNodes, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

constexpr int kDilation = 13, kPadMode = 14;

// Keeps the size of its input for any dilation.
GraphPtr dilated(int64_t dilation, Shape input = {1, 4, 4, 8}) {
  GraphMaker make;
  const int64_t channels = input[3];
  const TensorId x = make.input(input, DType::f32, Format::nhwc);
  const TensorId weight =
      make.floats({8, 3, 3, channels}, std::vector<float>(size_t(8 * 9 * channels), 0.5f));
  const TensorId bias = make.floats({8}, std::vector<float>(8));
  const std::vector parameters{make.parameter<int64_t>(kDilation, DType::i64, {1, dilation}),
                               make.parameter<int8_t>(kPadMode, DType::i8, {0})};
  input[3] = 8;
  return make.finish({make.op(Op::conv2d, {x, weight, bias}, input, parameters, DType::f32, Format::nhwc)});
}

Refusal refusal_of(const GraphPtr& graph, const DevicePlan& plan) {
  return node_refusals(*normalize(graph), plan).at(0);
}

TEST(Trial, RefusesTooLargeWindows) {
  const DevicePlan plan = plan_of(65535, 1 << 27);
  EXPECT_EQ(refusal_of(dilated(2), plan), std::nullopt);
  EXPECT_EQ(refusal_of(dilated(2147483646), plan),
            "A pooling window over 4294967296 cells exceeds 1073741823.");
}

TEST(Trial, RefusesTooLargeGrids) {
  const auto refusal = refusal_of(dilated(1, {1, 64, 64, 8}), plan_of(1, 1 << 27));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->find("Workgroups ("), std::string::npos) << *refusal;
}

// The kernel reads weights padded from eight to sixteen output channels.
TEST(Trial, RefusesTooLargeConstants) {
  const auto refusal = refusal_of(dilated(1), plan_of(65535, 4000));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(*refusal, "A buffer of its kernel (4608 bytes) exceeds the device's limit for bindings (4000).");
}

TEST(Trial, RefusesTooLongLoops) {
  GraphMaker make;
  const TensorId x = make.input({4, 70001}), y = make.input({70001, 3});
  const GraphPtr graph = make.finish({make.op(Op::matmul, {x, y}, {4, 3}, {})});
  DevicePlan plan = plan_of(65535, 1 << 27);
  plan.is_software = true;
  plan.kernels.forbid("shared_memory_tile");  // whose loops are 16 times shorter
  EXPECT_EQ(refusal_of(graph, plan), std::nullopt);
  plan.max_loop_iterations = 65535;
  EXPECT_EQ(refusal_of(graph, plan),
            "Every kernel that supports it loops more than 65535 times, or NNRT_VULKAN_KERNELS forbids it.");
}

// As composed by the client, before conversion to NHWC.
TEST(Trial, AcceptsNchwBeforeConversion) {
  GraphMaker make;
  const TensorId x = make.input({1, 8, 4, 3}, DType::f32, Format::nchw);
  const TensorId weight = make.floats({16, 1, 1, 2}, std::vector<float>(32)),
                 bias = make.floats({16}, std::vector<float>(16));
  const TensorId group = make.parameter<int64_t>(16, DType::i64, {4});  // OH_NN_CONV2D_GROUP
  const GraphPtr graph =
      make.finish({make.op(Op::conv2d, {x, weight, bias}, {1, 16, 4, 3}, {group}, DType::f32, Format::nchw)});
  EXPECT_EQ(node_refusals(*graph, plan_of(1, 1 << 27)).at(0), std::nullopt);
}

TEST(Trial, AcceptsDynamicShapes) {
  EXPECT_EQ(refusal_of(dilated(1, {-1, 4, 4, 8}), plan_of(1, 1 << 27)), std::nullopt);
}

}  // namespace
}  // namespace nnrt::vulkan
