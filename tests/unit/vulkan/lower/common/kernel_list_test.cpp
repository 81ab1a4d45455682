// Kernel lists are searched from the top, and kernels can be forced and forbidden by name.
#include "backends/vulkan/lower/conv/lower_convolutions.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/program/vulkan_graph_passes.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "tests/support/graph_maker.h"
#include "tests/support/lowered_node.h"

#include <algorithm>
#include <functional>
#include <set>

namespace nnrt::test {
namespace {

using Names = std::vector<std::string>;

// A software driver on which every 32-bit kernel is possible.
void make_capable(LoweredNode& node) {
  node.plan.is_software = node.plan.quad_operations = true;
  node.plan.subgroup_arithmetic = true;
  node.plan.shuffled = 8;
  node.plan.max_texels = node.plan.max_storage_range = 1 << 27;
  node.plan.storage_alignment = 256;
  node.plan.max_group_invocations = 256;
  node.plan.max_shared_bytes = 49152;
  node.plan.costs.node_us = 40;
  node.plan.costs.gflops[0] = 50;
}

LoweredNode convolution() {
  LoweredNode node(Op::conv2d);
  make_capable(node);
  node.input({1, 8, 8, 16}).floats({16, 3, 3, 16}, std::vector<float>(16 * 9 * 16)).input({16});
  node.integer(Attr::pad, {1, 1, 1, 1}).output({1, 8, 8, 16});
  return node;
}

LoweredNode matmul() {
  LoweredNode node(Op::matmul);
  make_capable(node);
  node.input({32, 64}).input({64, 48}).output({32, 48});
  return node;
}

struct Case {
  std::function<LoweredNode()> make;
  Names possible;  // in list order
};

const Case kCases[] = {
    {convolution,
     {"fast_compile", "winograd4", "winograd2", "subgroup_tile", "texel_buffer", "shared_memory_tile",
      "small_register_tile", "register_tile"}},
    {matmul,
     {"fast_compile", "subgroup_tile", "texel_buffer", "shared_memory_tile", "small_register_tile",
      "register_tile"}},
};

TEST(KernelList, EachForcedNameIsTaken) {
  for (const Case& one : kCases) {
    for (const std::string& name : one.possible) {
      LoweredNode node = one.make();
      node.plan.kernels.force(name);
      const KernelLog choices = node.lower().choices;
      ASSERT_FALSE(choices.empty()) << name;
      EXPECT_EQ(choices[0].name, name);
    }
  }
}

// Forbids each chosen kernel until none is left.
TEST(KernelList, SkipsForbiddenKernels) {
  for (const Case& one : kCases) {
    std::set<std::string> taken;
    KernelSwitch kernels;
    for (size_t i = 0; i < one.possible.size(); ++i) {
      LoweredNode node = one.make();
      node.plan.kernels = kernels;
      const KernelLog choices = node.lower().choices;
      ASSERT_FALSE(choices.empty());
      taken.insert(choices[0].name);
      kernels.forbid(choices[0].name);
    }
    EXPECT_EQ(taken, std::set<std::string>(one.possible.begin(), one.possible.end()));
    LoweredNode none = one.make();
    none.plan.kernels = kernels;
    RecordingSink sink;
    const Status status = none.try_lower(sink);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::unsupported);
    EXPECT_EQ(status.error().message, "NNRT_VULKAN_KERNELS forbids every kernel that supports it.");
  }
}

TEST(KernelList, ExplainsRefusals) {
  const KernelLog choices = convolution().lower().choices;
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].name, "subgroup_tile");
  const auto why = [&](std::string_view name) {
    return std::ranges::find(choices[0].declined, name, &DeclinedKernel::name)->why;
  };
  EXPECT_EQ(choices[0].declined.size(), 8u);
  EXPECT_EQ(why("fast_compile"), "Optimized shaders are faster.");
  EXPECT_EQ(why("gemm"), "Its kernel is not 1x1 with stride 1.");
  EXPECT_EQ(why("depthwise"), "It has 1 groups of 16 channels.");
  EXPECT_EQ(why("cooperative_matrix"), "Cooperative matrices are not used on this device.");
  EXPECT_EQ(why("cooperative_matrix_im2col"), "Cooperative matrices are not used on this device.");
  EXPECT_EQ(why("winograd4"), "The transforms would cost about as much as they save.");
}

LoweredNode long_softmax(int64_t length, uint64_t max_loop_iterations = 65535) {
  LoweredNode node(Op::softmax);
  make_capable(node);
  node.plan.max_loop_iterations = max_loop_iterations;
  return node.input({3, length}).output({3, length});
}

TEST(KernelList, SkipsKernelsBeyondTheLoopLimit) {
  EXPECT_EQ(long_softmax(50257, 0).lower().choices[0].name, "softmax_by_row");
  EXPECT_EQ(long_softmax(18001).lower().choices[0].name, "softmax_by_row");
  const KernelLog choices = long_softmax(50257).lower().choices;
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].name, "softmax_by_subgroups");
  LoweredNode forced = long_softmax(50257);
  forced.plan.kernels.force("softmax_by_row");
  const KernelLog without = forced.lower().choices;
  EXPECT_EQ(without[0].name, "softmax_by_subgroups");
  LoweredNode by_group = long_softmax(50257);
  by_group.plan.subgroup_arithmetic = false;
  EXPECT_EQ(by_group.lower().choices[0].name, "softmax_by_group");
}

TEST(KernelList, TakesPassesWithinTheLoopLimit) {
  LoweredNode node(Op::reduce_sum);
  make_capable(node);
  node.plan.max_loop_iterations = 65535;
  const KernelLog choices = node.input({70001, 2001}).value({0}).output({2001}).lower().choices;
  ASSERT_EQ(choices.size(), 2u);  // both passes by the same kernel
  EXPECT_EQ(choices[0].name, "two_pass");
  EXPECT_EQ(choices[1].name, "scalar");
}

TEST(KernelList, ReportsTooLongLoops) {
  LoweredNode node(Op::conv2d);
  make_capable(node);
  node.plan.max_loop_iterations = 65535;
  node.input({1, 300, 300, 16}).floats({3, 257, 257, 16}, std::vector<float>(3 * 257 * 257 * 16)).input({3});
  const RecordingSink sink = node.output({1, 44, 44, 3}).lower();
  EXPECT_GT(sink.dispatch(sink.commands.size() - 1).iterations, 65535u);
}

TEST(KernelList, NamesAreThoseOfAllListsOnce) {
  const auto names = vulkan::kernel_names();
  std::set<std::string_view> all(names.begin(), names.end());
  EXPECT_EQ(all.size(), names.size());
  for (const auto& list : {vulkan::convolution_kernels(), vulkan::gemm_kernels()})
    for (const std::string_view name : list) EXPECT_TRUE(all.contains(name)) << name;
  for (const char* name : {"fp16_pass", "fp16_storage", "int8_dot", "dequantize_pass", "two_pass", "direct",
                           "dequantize", "int8_gemv_by_subgroups", "concat_elision", "cast_elision",
                           "transpose_elision", "deferred_copies", "concurrent_steps"})
    EXPECT_TRUE(all.contains(name)) << name;
}

TEST(GraphPasses, ExplainSkippingAndObeyTheSwitch) {
  GraphMaker maker;
  const GraphPtr graph = maker.finish({maker.op(Op::exp, {maker.input({64})}, {64})});
  vulkan::DevicePlan plan;
  plan.fp16_intermediates = false;
  const auto why = [&](bool float16) {
    std::vector<PassChoice> log;
    EXPECT_TRUE(run_passes(vulkan::model_passes(), graph, vulkan::PassContext{plan, float16}, &log).ok());
    return std::ranges::find(log, "fp16_pass", &PassChoice::name)->why_not;
  };
  EXPECT_EQ(why(false), "The client does not allow float16.");
  EXPECT_EQ(why(true), "Software drivers convert float16 slowly.");
  plan.kernels.force("fp16_pass");
  EXPECT_EQ(why(true), "");
  EXPECT_EQ(why(false), "The client does not allow float16.");
  plan.kernels.forbid("fp16_pass");
  EXPECT_EQ(why(true), "It is forbidden by name.");
}

}  // namespace
}  // namespace nnrt::test
