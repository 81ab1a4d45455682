#include "core/schema/graph_builder.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

using Ids = std::vector<uint32_t>;

Tensor float_tensor(Shape shape) {
  Tensor tensor;
  tensor.dtype = DType::f32;
  tensor.shape = std::move(shape);
  return tensor;
}

// A builder with `count` float tensors of shape [7].
GraphBuilder with_tensors(int count) {
  GraphBuilder builder;
  for (int i = 0; i < count; ++i) EXPECT_TRUE(builder.add_tensor(float_tensor({7})).ok());
  return builder;
}

Status relu(GraphBuilder& builder, uint32_t from, uint32_t to) {
  return builder.add_operation(static_cast<int>(Op::relu), Ids{}, Ids{from}, Ids{to});
}

TEST(GraphBuilder, RejectsInvalidDimensions) {
  GraphBuilder builder;
  EXPECT_EQ(builder.add_tensor(float_tensor({3, 0})).error().code, Code::invalid_parameter);
  EXPECT_EQ(builder.add_tensor(float_tensor({-2})).error().code, Code::invalid_parameter);
  EXPECT_TRUE(builder.add_tensor(float_tensor({-1, 3})).ok());
  EXPECT_TRUE(builder.add_tensor(float_tensor({})).ok());
}

TEST(GraphBuilder, RefusesTensorsBeyondFourGigabytes) {
  GraphBuilder builder;
  EXPECT_TRUE(builder.add_tensor(float_tensor({1 << 15, (1 << 15) - 1})).ok());
  EXPECT_FALSE(builder.add_tensor(float_tensor({1 << 15, 1 << 15})).ok());
  EXPECT_FALSE(builder.add_tensor(float_tensor({INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX})).ok());
  EXPECT_FALSE(builder.add_tensor(float_tensor({-1, INT32_MAX})).ok());
}

TEST(GraphBuilder, NamesUnnamedTensors) {
  test::GraphMaker make;
  const TensorId x = make.input({7});
  const GraphPtr graph = make.finish({make.op(Op::relu, {x}, {7})});
  EXPECT_EQ(graph->tensors[1].name, "Tensor: 1");
}

TEST(GraphBuilder, ChecksConstantData) {
  GraphBuilder builder = with_tensors(1);
  const Bytes bytes(28), fewer(27);
  EXPECT_EQ(builder.set_data(0, fewer).error().code, Code::invalid_parameter);
  EXPECT_EQ(builder.set_data(1, bytes).error().code, Code::invalid_parameter);
  EXPECT_TRUE(builder.set_data(0, bytes).ok());
  EXPECT_EQ(builder.set_data(0, bytes).error().code, Code::invalid_parameter);
}

TEST(GraphBuilder, ForbidsDataForDynamicTensorsAndForInputs) {
  GraphBuilder builder = with_tensors(2);
  ASSERT_TRUE(builder.add_tensor(float_tensor({-1})).ok());
  EXPECT_EQ(builder.set_data(2, Bytes(4)).error().code, Code::forbidden);
  ASSERT_TRUE(relu(builder, 0, 1).ok());
  ASSERT_TRUE(builder.specify(Ids{0}, Ids{1}).ok());
  EXPECT_EQ(builder.set_data(0, Bytes(28)).error().code, Code::forbidden);
  EXPECT_EQ(builder.set_data(1, Bytes(28)).error().code, Code::forbidden);
}

TEST(GraphBuilder, RejectsIncompleteGraphs) {
  GraphBuilder builder;
  EXPECT_EQ(builder.finish().error().code, Code::forbidden);
  builder = with_tensors(2);
  EXPECT_EQ(builder.finish().error().code, Code::forbidden);
  ASSERT_TRUE(relu(builder, 0, 1).ok());
  EXPECT_EQ(builder.finish().error().code, Code::forbidden);
  ASSERT_TRUE(builder.specify(Ids{0}, Ids{1}).ok());
  EXPECT_EQ(builder.specify(Ids{0}, Ids{1}).error().code, Code::forbidden);
  EXPECT_TRUE(builder.finish().ok());
  EXPECT_EQ(builder.finish().error().code, Code::forbidden);
}

TEST(GraphBuilder, ForbidsEveryChangeAfterFinish) {
  GraphBuilder builder = with_tensors(2);
  ASSERT_TRUE(relu(builder, 0, 1).ok() && builder.specify(Ids{0}, Ids{1}).ok() && builder.finish().ok());
  EXPECT_EQ(builder.add_tensor(float_tensor({7})).error().code, Code::forbidden);
  EXPECT_EQ(builder.set_role(0, 0).error().code, Code::forbidden);
  EXPECT_EQ(builder.set_data(0, Bytes(28)).error().code, Code::forbidden);
  EXPECT_EQ(builder.set_quant(0, {}).error().code, Code::forbidden);
  EXPECT_EQ(relu(builder, 0, 1).error().code, Code::forbidden);
}

TEST(GraphBuilder, SortsOperationsAddedInAnyOrder) {
  GraphBuilder builder = with_tensors(3);
  ASSERT_TRUE(relu(builder, 1, 2).ok() && relu(builder, 0, 1).ok());
  ASSERT_TRUE(builder.specify(Ids{0}, Ids{2}).ok() && builder.finish().ok());
  EXPECT_EQ(builder.graph()->nodes[0].position, 1u);
  EXPECT_EQ(builder.graph()->nodes[1].position, 0u);
}

struct BrokenModel {
  std::string what;
  std::vector<std::pair<uint32_t, uint32_t>> relus;  // from, to
};

class BrokenModels : public testing::TestWithParam<BrokenModel> {};

TEST_P(BrokenModels, AreRefusedByFinish) {
  GraphBuilder builder = with_tensors(5);
  for (const auto& [from, to] : GetParam().relus) ASSERT_TRUE(relu(builder, from, to).ok());
  ASSERT_TRUE(builder.specify(Ids{0}, Ids{1}).ok());
  EXPECT_EQ(builder.finish().error().code, Code::invalid_parameter);
}

INSTANTIATE_TEST_SUITE_P(GraphBuilder, BrokenModels,
                         testing::Values(BrokenModel{"Cycle", {{0, 1}, {2, 3}, {3, 2}}},
                                         BrokenModel{"TwoWriters", {{0, 1}, {0, 1}}},
                                         BrokenModel{"InputIsWritten", {{0, 1}, {1, 0}}},
                                         BrokenModel{"ReadWithoutData", {{0, 1}, {4, 3}}},
                                         BrokenModel{"OutputIsNotWritten", {{0, 2}}}),
                         [](const auto& tested) { return tested.param.what; });

TEST(GraphBuilder, CanBeCompletedAfterAFailedFinish) {
  GraphBuilder builder = with_tensors(3);
  ASSERT_TRUE(relu(builder, 2, 1).ok() && builder.specify(Ids{0}, Ids{1}).ok());
  ASSERT_FALSE(builder.finish().ok());
  ASSERT_TRUE(relu(builder, 0, 2).ok());
  EXPECT_TRUE(builder.finish().ok());
}

TEST(GraphBuilder, KeepsInvalidNodesWithDiagnosis) {
  GraphBuilder builder = with_tensors(2);
  ASSERT_TRUE(builder.add_tensor(float_tensor({5})).ok());
  ASSERT_TRUE(builder.add_operation(static_cast<int>(Op::add), Ids{}, Ids{0, 2}, Ids{1}).ok());
  ASSERT_TRUE(builder.specify(Ids{0, 2}, Ids{1}).ok());
  ASSERT_TRUE(builder.finish().ok());
  const Node& node = builder.graph()->nodes[0];
  ASSERT_TRUE(node.diagnosis.has_value());
  EXPECT_NE(node.diagnosis->message.find("OH_NN_OPS_ADD (operation 0)"), std::string::npos);
  EXPECT_EQ(builder.graph()->shapes[1], Shape{7});
}

}  // namespace
}  // namespace nnrt
