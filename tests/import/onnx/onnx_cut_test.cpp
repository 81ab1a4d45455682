#include "tools/import/onnx/onnx_cut.h"

#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

namespace nnrt::import {
namespace {

using test::OnnxModel;
using Names = std::vector<std::string>;

Result<OnnxCut> cut(const OnnxModel& model, const Names& from, const Names& to) {
  const std::string file = model.file.serialize();
  return cut_onnx(std::as_bytes(std::span(file)), {}, {}, from, to);
}

onnx_file::GraphProto graph_of(const OnnxCut& cut) {
  onnx_file::ModelProto model;
  EXPECT_TRUE(model.parse(cut.file));
  return model.graph();
}

Names names_of(const std::vector<Tensor>& tensors) {
  Names names;
  for (const Tensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

// y = (|x| + a) * b
OnnxModel chain() {
  OnnxModel model;
  model.input("x", {-1, 3}).floats("a", {3}, {1, 2, 3}).floats("b", {1}, {2});
  model.node("Abs", {"x"}, {"r"}).node("Add", {"r", "a"}, {"s"}).node("Mul", {"s", "b"});
  return model.output("y");
}

TEST(OnnxCut, HasTheConstantsOfItsNodesAlone) {
  const auto made = cut(chain(), {"r"}, {"s"}).value();
  EXPECT_EQ(made.nodes, 1u);
  EXPECT_EQ(made.all_nodes, 3u);
  EXPECT_EQ(names_of(made.inputs), Names{"r"});
  EXPECT_EQ(names_of(made.outputs), Names{"s"});
  EXPECT_EQ(made.inputs[0].shape, (Shape{-1, 3}));
  const onnx_file::GraphProto graph = graph_of(made);
  ASSERT_EQ(graph.initializer_size(), 1);
  EXPECT_EQ(graph.initializer(0).name(), "a");
}

TEST(OnnxCut, ReachesFromTheInputsOrToTheOutputs) {
  const auto first = cut(chain(), {}, {"s"}).value(), last = cut(chain(), {"s"}, {}).value();
  EXPECT_EQ(names_of(first.inputs), Names{"x"});
  EXPECT_EQ(first.nodes, 2u);
  EXPECT_EQ(names_of(last.outputs), Names{"y"});
  EXPECT_EQ(last.nodes, 1u);
}

TEST(OnnxCut, ConstantsMayBecomeInputs) {
  const auto made = cut(chain(), {"r", "a"}, {"s"}).value();
  EXPECT_EQ(names_of(made.inputs), (Names{"a", "r"}));
  EXPECT_EQ(graph_of(made).initializer_size(), 0);
}

TEST(OnnxCut, KeepsWhatBodiesReadFromOutside) {
  OnnxModel model;
  model.input("a", {2, 3}).input("unused", {1}).floats("w", {3}, {1, 2, 3});
  onnx_file::TensorProto& condition = *model.graph().add_initializer();
  condition.set_name("condition");
  condition.set_data_type(9);  // BOOL
  condition.set_raw_data("\1", 1);
  model.node("Abs", {"a"}, {"x"}).node("If", {"condition"}).output("y");
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx_file::AttributeProto& attribute =
        *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
    attribute.set_name(branch);
    onnx_file::GraphProto& body = *attribute.mutable_g();
    onnx_file::NodeProto& node = *body.add_node();
    node.set_op_type("Add");
    node.add_input("x");
    node.add_input("w");
    node.add_output("sum");
    body.add_output()->set_name("sum");
  }
  const auto made = cut(model, {"x"}, {"y"}).value();
  EXPECT_EQ(names_of(made.inputs), Names{"x"});
  EXPECT_EQ(made.nodes, 1u);
  EXPECT_EQ(graph_of(made).initializer_size(), 2);
}

}  // namespace
}  // namespace nnrt::import
