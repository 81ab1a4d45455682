#include "backends/vulkan/program/node_support.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

using test::GraphMaker;

DevicePlan plan_binding(uint64_t bytes) {
  DevicePlan plan;
  plan.max_storage_range = bytes;
  plan.max_group_count = {65535, 65535, 65535};
  return plan;
}

Refusal refusal_of(const GraphPtr& graph, const DevicePlan& plan = plan_binding(1 << 20)) {
  return node_refusals(*graph, plan).at(0);
}

TEST(Supports, AcceptsNodeWithLowering) {
  GraphMaker maker;
  EXPECT_EQ(refusal_of(maker.finish({maker.op(Op::relu, {maker.input({5})}, {5})})), std::nullopt);
}

TEST(Supports, NoOperatorWithoutALowering) {
  GraphMaker maker;
  Graph graph = *maker.finish({maker.op(Op::relu, {maker.input({5})}, {5})});
  graph.nodes[0].op = Op::detection_post_process;
  EXPECT_EQ(node_refusals(graph, plan_binding(1 << 20)).at(0),
            "OH_NN_OPS_DETECTION_POST_PROCESS has no GPU kernel.");
}

TEST(Supports, NoNodeWithADiagnosis) {
  Graph graph = [] {
    GraphMaker maker;
    return *maker.finish({maker.op(Op::relu, {maker.input({5})}, {5})});
  }();
  graph.nodes[0].diagnosis = Error{Code::invalid_parameter, "It makes no sense."};
  EXPECT_EQ(node_refusals(graph, plan_binding(1 << 20)).at(0), "It makes no sense.");
}

TEST(Supports, RejectsDynamicShapes) {
  GraphMaker maker;
  const TensorId x = maker.input({6});
  const TensorId shape = maker.input({2}, DType::i32);
  const Refusal refusal = refusal_of(maker.finish({maker.op(Op::reshape, {x, shape}, {-1, -1})}));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->find("determines shapes, but is only known at run time."), std::string::npos)
      << *refusal;
}

TEST(Supports, NoTensorLargerThanTheDeviceBinds) {
  GraphMaker maker;
  const auto graph = maker.finish({maker.op(Op::relu, {maker.input({5})}, {5})});
  EXPECT_EQ(refusal_of(graph, plan_binding(32)), std::nullopt);
  ASSERT_TRUE(refusal_of(graph, plan_binding(16)));
}

TEST(Supports, AShapeWithUnknownDimensions) {
  GraphMaker maker;
  EXPECT_EQ(refusal_of(maker.finish({maker.op(Op::relu, {maker.input({-1, 5})}, {-1, 5})})), std::nullopt);
}

}  // namespace
}  // namespace nnrt::vulkan
